import { Power, PowerOff, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { MatchingResult } from '#contract/endpoint.ts'
import { Button } from '../../ui/buttons/buttons.tsx'
import { BulkBar } from '../../ui/data/filter/filters.tsx'
import { confirm, toast } from '../../ui/overlays/messages.tsx'
import { useLanguage, useText } from '../../ui/text/text.ts'
import { CallError, errorText } from '../api/call.ts'
import { formatNumber } from '../format/format.tsx'
import type { ListSelection } from './list-selection.ts'
import { matchingText } from './matching-text.ts'

const MORE_MATCH = 'matching.more_match'

interface MatchingAction {
  /** Name of the action in the confirmation. */
  readonly label: string
  readonly isDanger?: boolean
  /** Set when a dialog has already named the number. */
  readonly isConfirmed?: boolean
  /** Changes what matches; the server refuses when more than `count` match. */
  readonly send: (count: number) => Promise<MatchingResult>
}

interface MatchingRun {
  readonly isBusy: boolean
  readonly run: (action: MatchingAction) => Promise<void>
}

/** Changes everything that matches, after a confirmation that names the number, and again when more match meanwhile. */
export function useMatchingRun(
  { count, clear }: Pick<ListSelection, 'count' | 'clear'>,
  recount: () => Promise<number | undefined>,
): MatchingRun {
  const t = useText(matchingText)
  const language = useLanguage()
  const [isBusy, setBusy] = useState(false)

  const ask = ({ label, isDanger = false }: MatchingAction, number: number, isRepeated: boolean) =>
    confirm({
      title: t('confirmTitle', { action: label, count: formatNumber(number, language) }),
      text: t(isRepeated ? 'confirmAgain' : 'confirmText'),
      action: label,
      isDanger,
    })

  /** Undefined when the user declined. */
  const send = async (action: MatchingAction): Promise<MatchingResult | undefined> => {
    let number: number | undefined = count
    let isAgreed = action.isConfirmed || (await ask(action, number, false))
    while (isAgreed && number !== undefined) {
      const result = await sendOnce(action, number)
      if (result) return result
      number = await recount()
      isAgreed = number !== undefined && (await ask(action, number, true))
    }
    return undefined
  }

  const run = async (action: MatchingAction) => {
    setBusy(true)
    try {
      const result = await send(action)
      if (!result) return
      const isWhole = result.changed === result.matched
      toast(isWhole ? 'success' : 'warning', t(isWhole ? 'changed' : 'someChanged', counts(result)))
      clear()
    } catch (error) {
      toast('error', errorText(error))
    } finally {
      setBusy(false)
      void recount()
    }
  }
  const counts = ({ changed, matched }: MatchingResult) => ({
    count: formatNumber(changed, language),
    matched: formatNumber(matched, language),
  })
  return { isBusy, run }
}

/** Undefined when more match than `count`. */
async function sendOnce({ send }: MatchingAction, count: number): Promise<MatchingResult | undefined> {
  try {
    return await send(count)
  } catch (error) {
    if (error instanceof CallError && error.code === MORE_MATCH) return undefined
    throw error
  }
}

interface SelectionBarProps {
  readonly selection: ListSelection
  /** The actions. */
  readonly children: ReactNode
}

/** Replaces the filters while rows are selected, and offers everything that matches when the page is selected whole. */
export function SelectionBar({ selection, children }: SelectionBarProps) {
  const t = useText(matchingText)
  const language = useLanguage()
  const { count, offered, selectAll, clear } = selection
  return (
    <BulkBar count={count} onClear={clear}>
      {offered !== undefined && (
        <Button size="small" variant="ghost" onClick={selectAll}>
          {t('selectAll', { count: formatNumber(offered, language) })}
        </Button>
      )}
      {children}
    </BulkBar>
  )
}

type StatusAction = 'enable' | 'disable' | 'delete'

interface StatusActionsProps {
  readonly labels: Readonly<Record<StatusAction, string>>
  readonly onAction: (action: StatusAction) => void
  /** The action that runs, if any. */
  readonly busy?: StatusAction | undefined
  readonly isDisabled: boolean
}

const STATUS_ACTIONS = [
  { action: 'enable', icon: Power, variant: 'default' },
  { action: 'disable', icon: PowerOff, variant: 'default' },
  { action: 'delete', icon: Trash2, variant: 'danger-text' },
] as const

/** Enables, disables or deletes what is selected. */
export function StatusActions({ labels, onAction, busy, isDisabled }: StatusActionsProps) {
  return STATUS_ACTIONS.map(({ action, icon, variant }) => (
    <Button
      key={action}
      size="small"
      variant={variant}
      icon={icon}
      isBusy={busy === action}
      disabled={isDisabled}
      onClick={() => onAction(action)}
    >
      {labels[action]}
    </Button>
  ))
}
