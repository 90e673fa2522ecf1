/** Runs a command's work and ends the process with the code it gives, or with 1 and a sentence when it throws. */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0
  } catch (error) {
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
