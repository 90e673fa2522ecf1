import { Brain, ChevronRight, Wrench } from 'lucide-react'
import type { ReactNode } from 'react'
import { useText } from '../../ui/text/text.ts'
import { text } from './text.ts'
import type { ToolCall } from './turn.ts'

interface ReasoningProps {
  readonly source: string
  /** The thinking is under way: it is shown until the answer begins. */
  readonly isOpenNow: boolean
}

/** What the model thought before it answered; folded once the answer begins. */
export function Reasoning({ source, isOpenNow }: ReasoningProps) {
  const t = useText(text)
  return (
    <Fold
      key={String(isOpenNow)}
      isOpen={isOpenNow}
      title={
        <>
          <Brain size={15} aria-hidden />
          {t(isOpenNow ? 'reasoningNow' : 'reasoning')}
        </>
      }
    >
      <p className="text-small whitespace-pre-wrap text-muted [overflow-wrap:anywhere]">{source}</p>
    </Fold>
  )
}

/** The tools that the model wants called, with what it hands to them. */
export function ToolCalls({ calls }: { readonly calls: readonly ToolCall[] }) {
  const t = useText(text)
  return calls.map(call => (
    <Fold
      key={call.index}
      isOpen
      title={
        <>
          <Wrench size={15} aria-hidden />
          {t('tool', { name: call.name })}
        </>
      }
    >
      <pre className="overflow-x-auto font-mono text-caption whitespace-pre-wrap">
        {indented(call.arguments)}
      </pre>
    </Fold>
  ))
}

/** JSON as people read it; anything else, such as JSON that is still coming, as it is. */
function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2)
  } catch {
    return json
  }
}

interface FoldProps {
  readonly isOpen: boolean
  readonly title: ReactNode
  readonly children: ReactNode
}

const Fold = ({ isOpen, title, children }: FoldProps) => (
  <details open={isOpen} className="group/fold rounded-card border border-line bg-surface">
    <summary className="flex min-h-9 list-none items-center gap-2 px-3 text-small font-medium text-muted select-none hover:text-fg coarse:min-h-11">
      <ChevronRight size={15} aria-hidden className="transition-transform group-open/fold:rotate-90" />
      {title}
    </summary>
    <div className="border-t border-line px-3 py-2.5">{children}</div>
  </details>
)
