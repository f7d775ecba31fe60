/** A call that adds a line to a file each time it runs. It changes something, so permission is needed. */
export const markedCall = (name: string, then = "true") => ({
  name: "Bash",
  input: { command: `echo ran >> ${name}; ${then}` },
});
