/** Whether this is the compiled executable, which is the program itself. Otherwise the runtime runs a file of it. */
export const isExecutable = Bun.main.startsWith('/$bunfs')

/** The command line that runs this program with arguments. */
export const programCommand = (args: readonly string[]): string[] =>
  isExecutable ? [process.execPath, ...args] : [process.execPath, Bun.main, ...args]
