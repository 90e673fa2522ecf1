import type { TopUp, TopUpEvent } from '#contract/top-ups.ts'
import { TimeText } from '../../app/time-text.tsx'
import { useMoney } from '../../app/use-money.ts'
import { useText } from '../../ui/text.ts'
import { eventWord, wayOf } from './order-state.ts'
import { text } from './text.ts'

/** What happened to an order, step by step. */
export function OrderTimeline({ order }: { readonly order: TopUp }) {
  const t = useText(text)
  const detailText = useDetailText()
  return (
    <ol aria-label={t('timeline')} className="grid gap-0 px-4 py-3 text-small max-sm:px-0">
      {order.timeline.map((step, index) => {
        const { at, event } = step
        const word = eventWord(event)
        return (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: steps have no id, and their order never changes
            key={index}
            className="relative grid gap-x-4 border-l border-line-strong pb-3 pl-4 last:pb-0 sm:grid-cols-[10rem_8rem_1fr]"
          >
            <span aria-hidden className="absolute top-1.5 -left-1 size-2 rounded-full bg-primary" />
            <span className="text-muted">
              <TimeText unixSeconds={at} />
            </span>
            <span className="font-medium">{word ? t(word) : event}</span>
            <span className="min-w-0 text-muted [overflow-wrap:anywhere]">{detailText(step)}</span>
          </li>
        )
      })}
    </ol>
  )
}

/** What a step says besides its name, in the reader's words where they are known. */
function useDetailText(): (step: TopUpEvent) => string {
  const t = useText(text)
  const { money } = useMoney()
  const sayings: Readonly<Record<string, (detail: string) => string>> = {
    created: detail => `¥${detail}`,
    credited: detail => money(Number(detail)),
    signature: detail => t(detail === 'right' ? 'signatureRight' : 'signatureWrong'),
    sent: detail => {
      const way = wayOf(detail)?.[1]
      return way ? t(way) : detail
    },
  }
  return ({ event, detail }) => sayings[event]?.(detail) ?? detail
}
