import { systemOptions } from '#contract/options/system-options.ts'

export interface Chat {
  readonly name: string
  readonly link: string
}

/** The chats of the option's text; undefined when the text is not such a list. */
export function chatsIn(text: string): readonly Chat[] | undefined {
  const { data } = systemOptions.Chats.schema.safeParse(text)
  return data?.flatMap(entry => Object.entries(entry).map(([name, link]) => ({ name, link })))
}

export const chatsText = (chats: readonly Chat[]): string =>
  JSON.stringify(
    chats.map(({ name, link }) => ({ [name]: link })),
    null,
    2,
  )

/** Puts one entry to another place. */
export function moved<Item>(items: readonly Item[], from: number, to: number): readonly Item[] {
  const item = items[from]
  if (item === undefined || to < 0 || to >= items.length) return items
  return items.toSpliced(from, 1).toSpliced(to, 0, item)
}

/** The link as it would be opened, with an example in place of the token. */
export const chatPreview = (link: string, address: string): string =>
  link.replaceAll('{key}', 'sk-…').replaceAll('{address}', encodeURIComponent(address))
