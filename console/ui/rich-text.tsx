import DOMPurify from 'dompurify'
import { marked } from 'marked'
import { useMemo } from 'react'

const FORBIDDEN_TAGS = ['style', 'form', 'iframe', 'input', 'button', 'textarea', 'select']

/** Markdown or HTML of the operator, without anything that runs, asks for input or loads a frame. */
export function sanitizedHtml(source: string): string {
  const html = marked.parse(source, { async: false })
  const clean = DOMPurify.sanitize(html, {
    FORBID_TAGS: FORBIDDEN_TAGS,
    FORBID_ATTR: ['style'],
    RETURN_DOM_FRAGMENT: true,
  })
  for (const link of clean.querySelectorAll('a[href]')) {
    link.setAttribute('rel', 'noopener noreferrer')
    link.setAttribute('target', '_blank')
  }
  const holder = document.createElement('div')
  holder.append(clean)
  return holder.innerHTML
}

/** Shows the operator's Markdown or HTML, sanitised. Its code is heavy: load it with `lazyPart`. */
export function RichText({ source }: { readonly source: string }) {
  const html = useMemo(() => sanitizedHtml(source), [source])
  // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised just above; this is the only place
  return <div className="rich-text" dangerouslySetInnerHTML={{ __html: html }} />
}
