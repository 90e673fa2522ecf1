import type { Mail } from './mail-server.ts'

/** What is written to somebody, before it is drawn. */
export interface Letter {
  readonly subject: string
  readonly lines: readonly string[]
  /** To be read off and typed in. */
  readonly code?: string
  readonly link?: { readonly text: string; readonly url: string }
  /** Under the rest, smaller. */
  readonly note?: string
}

/** Draws a letter as plain text and as HTML that every mail program shows. `systemName` signs it. */
export function drawLetter(to: string, letter: Letter, systemName: string): Mail {
  return {
    to,
    subject: `${systemName}: ${letter.subject}`,
    text: textOf(letter, systemName),
    html: htmlOf(letter, systemName),
  }
}

function textOf({ lines, code, link, note }: Letter, systemName: string): string {
  const parts = [...lines, code, link && `${link.text}: ${link.url}`, note, `-- \n${systemName}`]
  return parts.filter(part => part !== undefined).join('\n\n')
}

function htmlOf({ lines, code, link, note }: Letter, systemName: string): string {
  const parts = [
    ...lines.map(line => `<p style="margin:0 0 12px">${escaped(line)}</p>`),
    code && `<p style="margin:20px 0;font:600 28px/1 monospace;letter-spacing:6px">${escaped(code)}</p>`,
    link &&
      `<p style="margin:20px 0"><a href="${escaped(link.url)}" style="display:inline-block;padding:10px 20px;border-radius:6px;background:#1f6feb;color:#ffffff;text-decoration:none">${escaped(link.text)}</a></p>
<p style="margin:0 0 12px;color:#57606a;font-size:13px;word-break:break-all">${escaped(link.url)}</p>`,
    note && `<p style="margin:20px 0 0;color:#57606a;font-size:13px">${escaped(note)}</p>`,
  ]
  return `<!doctype html>
<html><body style="margin:0;padding:24px;background:#f6f8fa;color:#1f2328;font:15px/1.6 system-ui,sans-serif">
<div style="max-width:520px;margin:auto;padding:28px;border-radius:8px;background:#ffffff">
${parts.filter(Boolean).join('\n')}
</div>
<p style="max-width:520px;margin:12px auto 0;color:#57606a;font-size:12px">${escaped(systemName)}</p>
</body></html>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replace(/[&<>"]/g, letter => ENTITIES[letter] ?? letter)
