import type { Mail } from './mailer.ts'

/** The content of a mail, before it is rendered. */
export interface EmailTemplate {
  readonly subject: string
  /** Paragraphs of plain text. */
  readonly lines: readonly string[]
  /** A verification code, shown large. */
  readonly code?: string
  readonly link?: { readonly text: string; readonly url: string }
  /** Small print below the rest. */
  readonly note?: string
}

/** Renders a mail as plain text and as HTML that every mail client displays. `systemName` is the signature. */
export function renderEmail(to: string, template: EmailTemplate, systemName: string): Mail {
  return {
    to,
    subject: `[${systemName}] ${template.subject}`,
    text: renderText(template, systemName),
    html: renderHtml(template, systemName),
  }
}

function renderText({ lines, code, link, note }: EmailTemplate, systemName: string): string {
  const parts = [...lines, code, link && `${link.text}: ${link.url}`, note, `-- \n${systemName}`]
  return parts.filter(part => part !== undefined).join('\n\n')
}

function renderHtml({ lines, code, link, note }: EmailTemplate, systemName: string): string {
  const parts = [
    ...lines.map(line => `<p style="margin:0 0 12px">${escapeHtml(line)}</p>`),
    code && `<p style="margin:20px 0;font:600 28px/1 monospace;letter-spacing:6px">${escapeHtml(code)}</p>`,
    link &&
      `<p style="margin:20px 0"><a href="${escapeHtml(link.url)}" style="display:inline-block;padding:10px 20px;border-radius:6px;background:#1f6feb;color:#ffffff;text-decoration:none">${escapeHtml(link.text)}</a></p>
<p style="margin:0 0 12px;color:#57606a;font-size:13px;word-break:break-all">${escapeHtml(link.url)}</p>`,
    note && `<p style="margin:20px 0 0;color:#57606a;font-size:13px">${escapeHtml(note)}</p>`,
  ]
  return `<!doctype html>
<html><body style="margin:0;padding:24px;background:#f6f8fa;color:#1f2328;font:15px/1.6 system-ui,sans-serif">
<div style="max-width:520px;margin:auto;padding:28px;border-radius:8px;background:#ffffff">
${parts.filter(Boolean).join('\n')}
</div>
<p style="max-width:520px;margin:12px auto 0;color:#57606a;font-size:12px">${escapeHtml(systemName)}</p>
</body></html>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** A text as content or attribute of a page. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, char => ENTITIES[char] ?? char)
