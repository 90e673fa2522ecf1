import { useId, useState } from 'react'
import { CopyButton } from '../buttons/buttons.tsx'
import { classes } from '../class-names.ts'
import { useKitText } from './kit-text.ts'

export interface Snippet {
  readonly name: string
  /** Displayed code, with secrets masked. */
  readonly code: string
  /** Copied code, with secrets, or a function that returns it; undefined: there is nothing to copy. */
  readonly copied: string | (() => Promise<string | undefined>)
}

interface CodeSnippetProps {
  readonly label: string
  readonly snippets: readonly Snippet[]
}

/** An example in several languages, with a copy button. */
export function CodeSnippet({ label, snippets }: CodeSnippetProps) {
  const t = useKitText()
  const id = useId()
  const [chosen, setChosen] = useState(snippets[0]?.name)
  const snippet = snippets.find(candidate => candidate.name === chosen) ?? snippets[0]
  // A name may have spaces, which an id must not have.
  const tabId = (name: string) => `${id}-${snippets.findIndex(candidate => candidate.name === name)}`
  const select = (name: string) => {
    setChosen(name)
    document.getElementById(tabId(name))?.focus()
  }
  const step = (by: number) => {
    const next =
      snippets[((snippet ? snippets.indexOf(snippet) : 0) + by + snippets.length) % snippets.length]
    if (next) select(next.name)
  }
  if (!snippet) return null
  return (
    <div className="overflow-hidden rounded-card border border-line">
      <div className="flex items-center border-b border-line bg-sunken pr-1 pl-1.5">
        <div
          role="tablist"
          aria-label={label}
          className="flex flex-1 overflow-x-auto"
          onKeyDown={event => {
            if (event.key === 'ArrowRight') step(1)
            if (event.key === 'ArrowLeft') step(-1)
          }}
        >
          {snippets.map(({ name }) => (
            <button
              key={name}
              id={tabId(name)}
              type="button"
              role="tab"
              aria-selected={name === snippet.name}
              aria-controls={`${id}-panel`}
              tabIndex={name === snippet.name ? 0 : -1}
              onClick={() => select(name)}
              className={classes(
                'h-9 border-b-2 px-2.5 text-small whitespace-nowrap touch-target outline-offset-[-2px]',
                name === snippet.name
                  ? 'border-primary font-medium text-fg'
                  : 'border-transparent text-muted hover:text-fg',
              )}
            >
              {name}
            </button>
          ))}
        </div>
        <CopyButton text={snippet.copied} label={`${t('copy')} · ${snippet.name}`} />
      </div>
      <div
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={tabId(snippet.name)}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be focusable with the keyboard
        tabIndex={0}
        className="overflow-x-auto outline-offset-[-2px]"
      >
        <pre className="min-w-max p-3 font-mono text-caption leading-5">{snippet.code}</pre>
      </div>
    </div>
  )
}
