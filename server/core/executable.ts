/** Whether this is the compiled executable, which is the program itself. Otherwise the runtime runs a file of it. */
export const isExecutable = Bun.main.startsWith('/$bunfs')
