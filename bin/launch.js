// Read by whatever Node the user has, so that an old one can say what it lacks: no syntax newer
// than Node 12.17, and nothing of dist/ is loaded before the version is known.
var OLDEST = 24;
// As for every other program that should be there and is not.
var UNAVAILABLE = 69;

// Starts the program of this name, which `file` below dist/ holds.
export function launch(command, file) {
  var major = Number(process.versions.node.split(".")[0]);
  if (major < OLDEST) {
    process.stderr.write(
      command +
        " needs Node " +
        OLDEST +
        " or newer; this is v" +
        process.versions.node +
        ". Install it from https://nodejs.org, and this program with its npm.\n",
    );
    process.exitCode = 1;
    return;
  }
  void start(command, new URL("../dist/" + file, import.meta.url));
}

async function start(command, program) {
  var fs = await import("node:fs");
  if (!fs.existsSync(program)) {
    process.stderr.write(
      command + " is not built yet. Run this in the checkout first: npm ci && npm run build\n",
    );
    process.exitCode = UNAVAILABLE;
    return;
  }
  await keepCompiled();
  await import(program.href);
}

// Node keeps what it compiled, so that the next start is quicker and smaller.
async function keepCompiled() {
  var fs = await import("node:fs");
  var os = await import("node:os");
  var path = await import("node:path");
  var module = await import("node:module");
  try {
    // Code that is run from there must be nobody else's to write.
    var caches = process.env.XDG_CACHE_HOME || path.join(os.homedir(), ".cache");
    var directory = path.join(caches, "switchboard", "compiled");
    // One by one: Node's own way of making several never comes back in a home like /proc.
    [caches, path.dirname(directory), directory].forEach(function (each) {
      if (!fs.existsSync(each)) fs.mkdirSync(each, { mode: 448 });
    });
    module.enableCompileCache(directory);
  } catch {
    // In a home that cannot be written to, each start compiles anew.
  }
}
