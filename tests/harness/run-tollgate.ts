import { startProgram } from './program.ts'

/** Runs a verb to its end, e.g. `verify`. */
export async function runTollgate(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly code: number; readonly output: string }> {
  const program = startProgram(args, environment)
  const code = await program.ended
  return { code, output: program.output() }
}
