import type { Status } from '#contract/status.ts'

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

/** Sidebar items of the chats with a valid link. */
export const chatNavItems = (
  links: ConfiguredLinks,
): ReadonlyArray<{ readonly label: string; readonly to: string }> =>
  chatLinks(links).flatMap(({ name, template }, index) =>
    chatAddress(template, 'k', 'https://server.example') ? [{ label: name, to: `/chat/${index}` }] : [],
  )
