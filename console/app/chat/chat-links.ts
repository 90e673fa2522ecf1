import { z } from 'zod'
import type { Status } from '#contract/status.ts'
import { readStoredJson, writeStoredJson } from '../preferences/local-store.ts'

export interface ChatLink {
  readonly name: string
  /** May contain `{key}` and `{address}`. */
  readonly template: string
}

export type ConfiguredLinks = Pick<Status, 'chats' | 'chat_link' | 'chat_link2'>

/** The configured chat links: `chats`, else the two legacy links. */
export function chatLinks(status: ConfiguredLinks): readonly ChatLink[] {
  const listed = status.chats.flatMap(chat =>
    Object.entries(chat).map(([name, template]) => ({ name, template })),
  )
  if (listed.length > 0) return listed
  return [status.chat_link, status.chat_link2]
    .filter(template => template !== '')
    .map(template => ({ name: linkHost(template) ?? template, template }))
}

/** The URL to open for one token. Undefined when the template does not make a valid URL. */
export function chatAddress(template: string, key: string, address: string): string | undefined {
  const filled = template.replaceAll('{address}', encodeURIComponent(address)).replaceAll('{key}', key)
  return URL.canParse(filled) ? filled : undefined
}

/** The host that receives the key; the scheme for links that open an app. */
export const linkHost = (address: string): string | undefined =>
  URL.canParse(address) ? new URL(address).host || new URL(address).protocol : undefined

const trustedHosts = (): readonly string[] => z.array(z.string()).catch([]).parse(readStoredJson('key-hosts'))

/** Whether the user allowed this host to receive keys, in this browser. */
export const isTrustedHost = (host: string): boolean => trustedHosts().includes(host)

export const trustHost = (host: string): void => void writeStoredJson('key-hosts', [...trustedHosts(), host])
