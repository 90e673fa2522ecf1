import type { LogEntry } from '#contract/logs/logs.ts'
import { CopyButton } from '../../../ui/buttons/copy-button.tsx'
import { useText } from '../../../ui/text/text.ts'
import { text } from '../text.ts'

/** The row as the server gave it, with its details opened. */
export function RawSection({ entry }: { readonly entry: LogEntry }) {
  const t = useText(text)
  const json = JSON.stringify({ ...entry, other: opened(entry.other) }, null, 2)
  return (
    <div className="relative">
      <div className="absolute top-1 right-1">
        <CopyButton text={json} label={t('copyJson')} />
      </div>
      <pre className="rounded-card border border-line bg-sunken p-3 pr-10 font-mono text-caption leading-5 break-all whitespace-pre-wrap">
        {json}
      </pre>
    </div>
  )
}

function opened(other: string): unknown {
  try {
    return JSON.parse(other)
  } catch {
    return other
  }
}
