import { Copy } from 'lucide-react'
import { useState } from 'react'
import { call, errorText, MATCHING_TIMEOUT_MS } from '#console/app/api/call.ts'
import type { ListSelection } from '#console/app/list/list-selection.ts'
import { SelectionBar, StatusActions, useMatchingRun } from '#console/app/list/matching.tsx'
import { runEach } from '#console/app/list/run-each.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import type { Token } from '#contract/entities/token.ts'
import { TOKEN_STATUS } from '#contract/enums.ts'
import { deleteMatchingTokens, updateMatchingTokens } from '../contract/matching-tokens.ts'
import { type TokenFilter, useTokenMutations } from './queries.ts'
import { type ScreenTranslate, useScreenText } from './text.ts'

const CONCURRENCY = 4

interface Failure {
  readonly token: Token
  readonly error: unknown
}

function toastResult(t: ScreenTranslate, count: number, failed: readonly Failure[]): void {
  const [first] = failed
  if (!first) {
    toast('success', t('bulkDone', { count }))
    return
  }
  const names = failed.map(({ token }) => token.name).join(', ')
  const reason = `${names} · ${errorText(first.error)}`
  toast('error', t('bulkFailed', { done: count - failed.length, failed: failed.length, reason }))
}

const toMatching = ({ q, key, status, group }: TokenFilter, count: number) => ({
  filter: { keyword: q, token: key, status: Number(status), group },
  count,
})

/** Enables or disables all tokens that match, unless they are more than `count`. */
const switchMatching = (filter: TokenFilter, count: number, status: 1 | 2) =>
  call(updateMatchingTokens, {
    body: { ...toMatching(filter, count), status },
    timeoutMs: MATCHING_TIMEOUT_MS,
  })

/** Deletes all tokens that match, unless they are more than `count`. */
const deleteMatching = (filter: TokenFilter, count: number) =>
  call(deleteMatchingTokens, { body: toMatching(filter, count), timeoutMs: MATCHING_TIMEOUT_MS })

interface TokensBulkBarProps {
  readonly rows: readonly Token[]
  readonly filter: TokenFilter
  readonly selection: ListSelection
  /** Refreshes the list and resolves to the number of tokens that match. */
  readonly onRecount: () => Promise<number | undefined>
  readonly onCopy: () => void
}

/** The actions on all selected tokens. Tokens that fail stay selected. */
export function TokensBulkBar({ rows, filter, selection, onRecount, onCopy }: TokensBulkBarProps) {
  const t = useScreenText()
  const { setStatus, remove } = useTokenMutations()
  const [busy, setBusy] = useState<'enable' | 'disable' | 'delete'>()
  const matching = useMatchingRun(selection, onRecount)
  const tokens = rows.filter(token => selection.ids.has(String(token.id)))

  const run = async (name: 'enable' | 'disable' | 'delete', action: (token: Token) => Promise<unknown>) => {
    const failed: Failure[] = []
    setBusy(name)
    await runEach(tokens, action, {
      concurrency: CONCURRENCY,
      signal: new AbortController().signal,
      onSettled: (token, error) => error !== undefined && failed.push({ token, error }),
    })
    setBusy(undefined)
    selection.select(new Set(failed.map(({ token }) => String(token.id))))
    toastResult(t, tokens.length, failed)
  }

  const switchAll = (name: 'enable' | 'disable', status: 1 | 2) => {
    if (selection.isAll)
      return void matching.run({ label: t(name), send: count => switchMatching(filter, count, status) })
    return void run(name, token => setStatus.mutateAsync({ id: token.id, status }))
  }

  const deleteAll = async () => {
    const label = t('deleteMany')
    if (selection.isAll)
      return matching.run({ label, isDanger: true, send: count => deleteMatching(filter, count) })
    const question = { title: t('deleteManyTitle', { count: tokens.length }), text: t('deleteManyText') }
    if (!(await confirm({ ...question, action: label, isDanger: true }))) return
    await run('delete', token => remove.mutateAsync(token.id))
  }

  const act = (action: 'enable' | 'disable' | 'delete') => {
    if (action === 'delete') void deleteAll()
    else switchAll(action, action === 'enable' ? TOKEN_STATUS.enabled : TOKEN_STATUS.disabled)
  }

  return (
    <SelectionBar selection={selection}>
      {!selection.isAll && (
        <Button size="small" icon={Copy} onClick={onCopy}>
          {t('copySelected')}
        </Button>
      )}
      <StatusActions
        labels={{ enable: t('enable'), disable: t('disable'), delete: t('deleteMany') }}
        onAction={act}
        busy={busy}
        isDisabled={matching.isBusy}
      />
    </SelectionBar>
  )
}
