import DOMPurify from 'dompurify'
import { marked } from 'marked'
import { type MouseEvent, memo, useMemo } from 'react'
import { CopyButton } from '../buttons/buttons.tsx'
import { useKitText } from './kit-text.ts'

const FORBIDDEN_TAGS = ['style', 'form', 'iframe', 'input', 'button', 'textarea', 'select']

/** Elements and attributes that make the browser load something. */
const LOADING_TAGS = ['audio', 'picture', 'source', 'track', 'video']
const LOADING_ATTRIBUTES = ['background', 'poster', 'srcset']
const EMBEDDED_IMAGE = /^data:image\//i

/** Renders Markdown or HTML, and removes scripts, styles, forms and frames. */
export function sanitizedHtml(source: string): string {
  const html = marked.parse(source, { async: false })
  return toHtml(
    DOMPurify.sanitize(html, {
      FORBID_TAGS: FORBIDDEN_TAGS,
      FORBID_ATTR: ['style'],
      RETURN_DOM_FRAGMENT: true,
    }),
  )
}

/**
 * The same for the text of a model, which loads nothing by itself: the address of an image could carry the conversation to
 * another site. `imageLabel` names the button that shows an image.
 */
function modelHtml(source: string, imageLabel: (host: string) => string): string {
  const html = marked.parse(source, { async: false })
  const clean = DOMPurify.sanitize(html, {
    USE_PROFILES: { html: true },
    FORBID_TAGS: [...FORBIDDEN_TAGS, ...LOADING_TAGS],
    FORBID_ATTR: ['style', ...LOADING_ATTRIBUTES],
    RETURN_DOM_FRAGMENT: true,
  })
  for (const image of clean.querySelectorAll('img')) {
    const address = image.getAttribute('src') ?? ''
    if (!EMBEDDED_IMAGE.test(address)) image.replaceWith(imageButton(address, image.alt, imageLabel))
  }
  return toHtml(clean)
}

function imageButton(address: string, alt: string, label: (host: string) => string): HTMLButtonElement {
  const button = document.createElement('button')
  const { host } = URL.parse(address, window.location.origin) ?? { host: '' }
  button.type = 'button'
  button.dataset.image = address
  button.dataset.alt = alt
  button.textContent = alt === '' ? label(host) : `${label(host)}: ${alt}`
  return button
}

/** Shows the image of a clicked button in its place. */
function showImage({ target }: MouseEvent<HTMLElement>): void {
  if (!(target instanceof HTMLButtonElement)) return
  const { image: address, alt = '' } = target.dataset
  if (address === undefined) return
  const image = new Image()
  image.referrerPolicy = 'no-referrer'
  image.alt = alt
  image.src = address
  target.replaceWith(image)
}

function toHtml(clean: DocumentFragment): string {
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
  // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised just above
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
 * Streaming Markdown of a model: unchanged blocks do not render again, code can be copied, and images load when the reader
 * asks for them. Sanitised like `RichText`.
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

const Prose = memo(function Prose({ source }: { readonly source: string }) {
  const t = useKitText()
  const html = useMemo(() => modelHtml(source, host => t('showImage', { host })), [source, t])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/noStaticElementInteractions: the buttons inside are clicked
    <div
      className="rich-text"
      onClick={showImage}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised just above
      dangerouslySetInnerHTML={{ __html: html }}
    />
  )
})

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
