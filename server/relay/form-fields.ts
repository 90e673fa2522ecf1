import type { JsonObject } from '../provider-kit/chat.ts'
import { SentFile } from '../provider-kit/sent-file.ts'

const LIST_NAME = /\[\]$/

/** A form as an object: texts and files by name. A name that comes again, or ends in `[]`, makes a list. */
export async function formFields(form: FormData): Promise<JsonObject> {
  const fields = new Map<string, unknown[]>()
  const lists = new Set<string>()
  for (const [field, entry] of form) {
    const name = field.replace(LIST_NAME, '')
    const value = typeof entry === 'string' ? entry : await toSentFile(entry)
    const before = fields.get(name)
    if (before) before.push(value)
    else fields.set(name, [value])
    if (before || name !== field) lists.add(name)
  }
  return Object.fromEntries([...fields].map(([name, values]) => [name, lists.has(name) ? values : values[0]]))
}

const toSentFile = async (file: File): Promise<SentFile> =>
  new SentFile({ name: file.name, mediaType: file.type, bytes: new Uint8Array(await file.arrayBuffer()) })
