import { Brain, ChevronRight, Wrench } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useScreenText } from './text.ts'
import type { ToolCall, ChatMessage } from './chat-message.ts'
import { Spinner } from '../../ui/buttons/button.tsx'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { formatNumber, useMoney } from '../../app/money/money.tsx'
import { hasScreen } from '../../app/router/screens.ts'
import { replyLogQuery } from './queries.ts'

interface ReasoningProps {
  readonly source: string
  /** The thinking is under way: it is shown until the answer begins. */
  readonly isOpenNow: boolean
}

/** What the model thought before it answered; folded once the answer begins. */
export function Reasoning({ source, isOpenNow }: ReasoningProps) {
  const t = useScreenText()
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
  const t = useScreenText()
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

const TICK_MS = 1000
/** From here on the reader is told how long it has been. */
const LONG_SECONDS = 10

/** Nothing has come yet. */
export function ReplyPending() {
  const t = useScreenText()
  const [seconds, setSeconds] = useState(0)
  useEffect(() => {
    const timer = setTimeout(() => setSeconds(seconds + 1), TICK_MS)
    return () => clearTimeout(timer)
  }, [seconds])
  return (
    <p className="flex items-center gap-2 text-muted">
      <Spinner />
      {seconds < LONG_SECONDS ? t('loading') : t('stillWaiting', { count: seconds })}
    </p>
  )
}

const SECOND_MS = 1000

const formatSeconds = (ms: number): string => `${(ms / SECOND_MS).toFixed(ms < 10 * SECOND_MS ? 2 : 1)} s`

/** Who answered, how long it took, what it used and what it cost: the last two from its row in the log. */
export function ReplyFooter({ turn: { facts } }: { readonly turn: ChatMessage }) {
  const t = useScreenText()
  const { money, exact, language } = useMoney()
  const requestId = facts?.requestId ?? ''
  const { data: row } = useQuery({ ...replyLogQuery(requestId), enabled: requestId !== '' })
  if (!facts) return null
  return (
    <p className="flex min-h-7 flex-wrap items-center gap-x-3 text-caption text-muted tabular">
      <span className="font-mono">{facts.model}</span>
      {facts.firstMs !== undefined && <span>{t('firstWord', { time: formatSeconds(facts.firstMs) })}</span>}
      {facts.totalMs !== undefined && <span>{t('total', { time: formatSeconds(facts.totalMs) })}</span>}
      {row && (
        <>
          <span>
            {t('tokens', {
              prompt: formatNumber(row.prompt_tokens, language),
              completion: formatNumber(row.completion_tokens, language),
            })}
          </span>
          <span title={exact(row.quota)} className="font-medium text-fg">
            {t('cost', { amount: money(row.quota) })}
          </span>
        </>
      )}
      {row && hasScreen('/log') && (
        <Link
          to="/log"
          search={{ request: requestId }}
          className="rounded-control text-accent underline-offset-2 touch-target hover:underline"
        >
          {t('openLog')}
        </Link>
      )}
    </p>
  )
}
