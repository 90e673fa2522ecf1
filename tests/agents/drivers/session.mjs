import { exec } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'

const OUTPUT_BYTES_MAX = 1_000_000

const { values, positionals } = parseArgs({
  options: { clients: { type: 'string' }, image: { type: 'string' }, resume: { type: 'boolean' } },
  allowPositionals: true,
})

/** Loads a package of the client's own folder. */
export const load = createRequire(join(values.clients, 'package.json'))

export const settings = {
  gateway: process.env.GATEWAY_URL,
  key: process.env.GATEWAY_KEY,
  model: process.env.MODEL,
  /** The provider whose package the driver takes. */
  provider: process.env.PROVIDER,
  /** Attempts of a failing request, for SDKs that by default try for minutes. */
  attempts: process.env.ATTEMPTS ? Number(process.env.ATTEMPTS) : undefined,
  /** The size in tokens from which the conversation is compacted. */
  compactAtTokens: Number(process.env.COMPACT_AT_TOKENS ?? 0),
  isResumed: values.resume ?? false,
}

export const prompt = positionals[0]

/** The image of the prompt in Base64. */
export const image = values.image && readFileSync(values.image).toString('base64')

const { z } = load('zod')

/** The tools of the agent. `respondToPart` lets a nested agent answer a prompt. */
export const toolsOf = respondToPart => ({
  edit_file: {
    description: 'Replaces a text of a file.',
    inputSchema: z.object({ path: z.string(), before: z.string(), after: z.string() }),
    execute: editFile,
  },
  run_command: {
    description: 'Runs a command of the shell and returns what it prints.',
    inputSchema: z.object({ command: z.string() }),
    execute: runCommand,
  },
  delegate: {
    description: 'Gives a part of the task to another agent and returns its answer.',
    inputSchema: z.object({ prompt: z.string() }),
    execute: part => respondToPart(part.prompt),
  },
})

function editFile({ path, before, after }) {
  const content = readFileSync(path, 'utf8')
  if (!content.includes(before)) return `${path} does not contain the text`
  writeFileSync(
    path,
    content.replace(before, () => after),
  )
  return `${path} is changed`
}

async function runCommand({ command }) {
  try {
    const { stdout, stderr } = await promisify(exec)(command, { maxBuffer: OUTPUT_BYTES_MAX })
    return `${stdout}${stderr}` || 'done'
  } catch (error) {
    return `exit code ${error.code}\n${error.stdout ?? ''}${error.stderr ?? ''}`
  }
}

/** Prints the text of one answer, and keeps the conversation for a start with `--resume`. */
export async function main(respond) {
  const file = join(homedir(), 'conversation.json')
  const history = values.resume && existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []
  try {
    const { text, messages } = await respond(history)
    writeFileSync(file, JSON.stringify(messages))
    process.stdout.write(`${text}\n`)
  } catch (error) {
    process.stderr.write(`Error: ${error.message}\n`)
    process.exitCode = 1
  }
}
