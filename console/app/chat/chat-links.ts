import type { Status } from '#contract/status.ts'

export interface ChatLink {
  readonly name: string
  /** With `{key}` and `{address}` in it. */
  readonly template: string
}

export type ConfiguredLinks = Pick<Status, 'chats' | 'chat_link' | 'chat_link2'>

/** The configured chat pages: the list of `chats`, else the two older links. */
export function chatLinksOf(status: ConfiguredLinks): readonly ChatLink[] {
  const listed = status.chats.flatMap(chat =>
    Object.entries(chat).map(([name, template]) => ({ name, template })),
  )
  if (listed.length > 0) return listed
  return [status.chat_link, status.chat_link2]
    .filter(template => template !== '')
    .map(template => ({ name: hostOf(template) ?? template, template }))
}

/** The address to open for one token; undefined when the link is no web address. */
export function chatAddress(template: string, key: string, address: string): string | undefined {
  const filled = template.replaceAll('{address}', encodeURIComponent(address)).replaceAll('{key}', key)
  return URL.canParse(filled) ? filled : undefined
}

/** Who receives the key. */
export const hostOf = (address: string): string | undefined =>
  URL.canParse(address) ? new URL(address).host || new URL(address).protocol : undefined

/** The configured chats that lead somewhere, for the sidebar. */
export const openChats = (
  links: ConfiguredLinks,
): ReadonlyArray<{ readonly label: string; readonly to: string }> =>
  chatLinksOf(links).flatMap(({ name, template }, index) =>
    chatAddress(template, 'k', 'https://server.example') ? [{ label: name, to: `/chat/${index}` }] : [],
  )
