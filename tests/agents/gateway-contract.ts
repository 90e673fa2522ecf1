import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The points of a contract by section: the digest of each paragraph, row of a table and item of a list. */
export type ContractPoints = Readonly<Record<string, readonly string[]>>

interface StoredContract {
  readonly version: string
  readonly points: ContractPoints
}

const STORED = join(import.meta.dir, 'gateway-contract.json')
const TITLE = '# Claude Code gateway protocol'
const SCOPE = 'node_modules/@anthropic-ai'
/** Longer texts are not the contract. */
const CONTRACT_BYTES_MAX = 200_000
const DIGEST_CHARS = 12

/**
 * The contract that `claude gateway` prints at `/protocol`, from the executable: the gateway starts only with a database and
 * an identity provider. Throws an Error when it is not found.
 */
export function readContract(clients: string): string {
  const scope = join(clients, SCOPE)
  for (const folder of readdirSync(scope).filter(name => name.startsWith('claude-code-'))) {
    const bytes = readFileSync(join(scope, folder, 'claude'))
    const start = bytes.indexOf(TITLE)
    if (start >= 0) return toText(bytes.toString('latin1', start, start + CONTRACT_BYTES_MAX))
  }
  throw new Error(`no executable in ${scope} contains ${TITLE}`)
}

/** The text of a template literal, up to its end. Names of variables change with each build. */
export function toText(literal: string): string {
  const [text = ''] = /^(?:[^`\\]|\\[\s\S])*/.exec(literal) ?? []
  return text
    .replaceAll(/\$\{[^}]*\}/g, '…')
    .replaceAll(/\\u([\da-f]{4})|\\x([\da-f]{2})/gi, (_, long, short) =>
      String.fromCharCode(Number.parseInt(long ?? short, 16)),
    )
    .replaceAll(/\\(.)/g, '$1')
}

/** The points of each section, in the order of the text. */
export function splitContract(text: string): ReadonlyMap<string, readonly string[]> {
  const sections = text.split(/^## /m).slice(1)
  return new Map(
    sections.map(section => {
      const [title = '', ...lines] = section.split('\n')
      const points = lines
        .join('\n')
        .split(/\n\n+|\n(?=[-|] ?)/)
        .map(point => point.replaceAll(/\s+/g, ' ').trim())
        .filter(point => /\w/.test(point))
      return [title.trim(), points]
    }),
  )
}

export const digestOf = (point: string): string =>
  createHash('sha256').update(point).digest('hex').slice(0, DIGEST_CHARS)

/** Lines that say what is new, in its own words, and how much is gone. Empty: nothing has changed. */
export function describeChanges(stored: ContractPoints, text: string): readonly string[] {
  const current = splitContract(text)
  const gone = Object.keys(stored).filter(title => !current.has(title))
  const changed = [...current].flatMap(([title, points]) => {
    const known = stored[title] ?? []
    const digests = points.map(digestOf)
    const fresh = points.filter(point => !known.includes(digestOf(point)))
    const dropped = known.filter(digest => !digests.includes(digest)).length
    return fresh.length + dropped === 0
      ? []
      : [`${title}: ${fresh.length} new, ${dropped} gone`, ...fresh.map(point => `  + ${point}`)]
  })
  return [...gone.map(title => `${title}: the section is gone`), ...changed]
}

/** Compares the contract of the installed version with the one that was last worked through. Returns whether they are equal. */
export function checkContract(
  clients: string,
  { version, isAccepted }: { readonly version: string; readonly isAccepted: boolean },
): boolean {
  const text = readContract(clients)
  const points = Object.fromEntries(
    [...splitContract(text)].map(([title, section]) => [title, section.map(digestOf)]),
  )
  if (isAccepted) writeFileSync(STORED, `${JSON.stringify({ version, points }, undefined, 2)}\n`)
  // Safe cast: only this file writes it.
  const stored = JSON.parse(readFileSync(STORED, 'utf8')) as StoredContract
  const changes = describeChanges(stored.points, text)
  const result = changes.length === 0 ? 'unchanged' : `changed since ${stored.version}`
  process.stdout.write(`Contract of Claude Code ${version} with gateways: ${result}\n`)
  for (const line of changes) process.stdout.write(`${line}\n`)
  return changes.length === 0
}
