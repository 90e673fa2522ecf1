import DOMPurify from 'dompurify'
import { marked } from 'marked'
import { memo, useMemo } from 'react'
import { CopyButton } from '../buttons/buttons.tsx'
import { useKitText } from './kit-text.ts'

const FORBIDDEN_TAGS = ['style', 'form', 'iframe', 'input', 'button', 'textarea', 'select']

/** Renders Markdown or HTML, and removes scripts, styles, forms and frames. */
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

/** Sanitised Markdown or HTML. Its code is heavy: load it with `lazyPart`. */
export function RichText({ source }: { readonly source: string }) {
  const html = useMemo(() => sanitizedHtml(source), [source])
  // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised just above; the only use in the console
  return <div className="rich-text" dangerouslySetInnerHTML={{ __html: html }} />
}

interface Block {
  readonly source: string
  /** Language of a code block, possibly empty. Undefined for prose. */
  readonly language: string | undefined
  readonly code: string
}

function parseBlocks(source: string): readonly Block[] {
  return marked
    .lexer(source)
    .filter(token => token.type !== 'space')
    .map(token =>
      token.type === 'code'
        ? { source: token.raw, language: String(token.lang ?? ''), code: String(token.text) }
        : { source: token.raw, language: undefined, code: '' },
    )
}

/**
 * Streaming Markdown: unchanged blocks do not render again, and code can be copied. Sanitised like `RichText`.
 * Its code is heavy: load it with `lazyPart`.
 */
export function Markdown({ source }: { readonly source: string }) {
  const blocks = useMemo(() => parseBlocks(source), [source])
  return (
    <div className="grid grid-cols-1 gap-3">
      {blocks.map(({ source: own, language, code }, index) =>
        language === undefined ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only appended
          <Prose key={index} source={own} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only appended
          <Code key={index} language={language} code={code} />
        ),
      )}
    </div>
  )
}

const Prose = memo(RichText)

interface CodeProps {
  readonly language: string
  readonly code: string
}

const Code = memo(function Code({ language, code }: CodeProps) {
  const t = useKitText()
  return (
    <div className="overflow-hidden rounded-card border border-line">
      <div className="flex h-8 items-center justify-between border-b border-line bg-sunken pr-1 pl-3 text-caption text-muted">
        <span className="truncate font-mono">{language}</span>
        <CopyButton text={code} label={`${t('copy')} ${language}`} />
      </div>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be focusable with the keyboard
        tabIndex={0}
        className="overflow-x-auto p-3 font-mono text-caption leading-5 outline-offset-[-2px]"
      >
        <code>{code}</code>
      </pre>
    </div>
  )
})
