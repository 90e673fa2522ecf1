import type { LogEntry } from '#contract/logs/logs.ts'

/** A command that asks for the same again. What was said is not stored, so the messages are left to fill in. */
export function toCurl(
  { model_name: model, is_stream: isStream, completion_tokens }: LogEntry,
  address: string,
): string {
  const isEmbedding = completion_tokens === 0 && /embed/i.test(model)
  const body = isEmbedding
    ? { model, input: '…' }
    : { model, ...(isStream && { stream: true }), messages: [{ role: 'user', content: '…' }] }
  return [
    `curl ${shellQuote(`${address}/v1/${isEmbedding ? 'embeddings' : 'chat/completions'}`)} \\`,
    '  -H "Authorization: Bearer $TOLLGATE_KEY" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d ${shellQuote(JSON.stringify(body))}`,
  ].join('\n')
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
