import { posix } from 'node:path'
import type { Finding } from './source.ts'

export interface Document {
  readonly path: string
  readonly text: string
}

/** What a document may point at. */
export interface Pointed {
  readonly isPath: (path: string) => boolean
  readonly scripts: readonly string[]
}

const ROOTED = /^(contract|server|console|features|tests|bench|scripts|docs|\.ci)\//
const PLACEHOLDER = /[<>*{…]|\bNAME\b|\bVERB\b|\/x(\/|$)|\.\.\./
const MACHINE_PATH = /(^|[\s(`"'])\/(home|root|Users|work|mnt|workspace|tmp)\//

/** Paths and commands that a document cites and that are not there, and paths of somebody's machine. */
export function documentFindings(document: Document, pointed: Pointed): readonly Finding[] {
  return document.text.split('\n').flatMap((line, index) => {
    const place = `${document.path}:${index + 1}`
    return [
      ...missingPaths(document, line, pointed).map(path => `${place} cites ${path}, which does not exist`),
      ...missingScripts(line, pointed).map(name => `${place} cites npm run ${name}, which does not exist`),
      ...(MACHINE_PATH.test(line) ? [`${place} names a path of a machine: ${line.trim()}`] : []),
    ]
  })
}

function missingPaths({ path }: Document, line: string, { isPath }: Pointed): readonly string[] {
  const linked = [...line.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter(target => !/^([a-z]+:|#)/.test(target))
    .map(target => posix.join(posix.dirname(path), target.replace(/#.*$/, '')))
  const quoted = [...line.matchAll(/`([^`\s]+)`/g)]
    .map(([, text = '']) => text)
    .filter(text => ROOTED.test(text) && !PLACEHOLDER.test(text))
    .map(text => text.replace(/:\d+$/, ''))
  return [...linked, ...quoted].filter(target => !isPath(target))
}

const missingScripts = (line: string, { scripts }: Pointed): readonly string[] =>
  [...line.matchAll(/npm run ([\w:-]+)/g)]
    .map(([, name = '']) => name)
    .filter(name => !scripts.includes(name))
