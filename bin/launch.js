// Read by whatever Node the user has, so that an old one can say what it lacks: no syntax newer
// than Node 12.17, and nothing of dist/ is loaded before the version is known.
var OLDEST = 24;

export function launch(command) {
  var major = Number(process.versions.node.split(".")[0]);
  if (major < OLDEST) {
    process.stderr.write(
      command +
        " needs Node " +
        OLDEST +
        " or newer; this is v" +
        process.versions.node +
        ". Install it from https://nodejs.org, or run: npx -p node@" +
        OLDEST +
        " -p agent-switchboard " +
        command +
        "\n",
    );
    process.exitCode = 1;
    return;
  }
  void import("../dist/cli/" + command + ".js");
}
