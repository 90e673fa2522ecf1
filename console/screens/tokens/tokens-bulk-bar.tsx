import { Copy, Power, PowerOff, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Token } from '#contract/tokens.ts'
import { errorText } from '../../app/call-error.ts'
import { BulkBar } from '../../ui/bulk-bar.tsx'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { runEach } from '../../ui/run-each.ts'
import { type Translate, useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { useTokenWrites } from './queries.ts'
import { text } from './text.ts'
import { STATUS } from './token-state.ts'

const AT_ONCE = 4

interface Failure {
  readonly token: Token
  readonly error: unknown
}

function report(t: Translate<keyof typeof text.zh>, count: number, failed: readonly Failure[]): void {
  const [first] = failed
  if (!first) {
    toast('success', t('bulkDone', { count }))
    return
  }
  const names = failed.map(({ token }) => token.name).join(', ')
  const reason = `${names} · ${errorText(first.error)}`
  toast('error', t('bulkFailed', { done: count - failed.length, failed: failed.length, reason }))
}

interface TokensBulkBarProps {
  readonly rows: readonly Token[]
  readonly selected: ReadonlySet<string>
  readonly onSelect: (selected: ReadonlySet<string>) => void
  readonly onCopy: () => void
}

/** What can be done with all selected tokens. Those that fail stay selected. */
export function TokensBulkBar({ rows, selected, onSelect, onCopy }: TokensBulkBarProps) {
  const t = useText(text)
  const { setStatus, remove } = useTokenWrites()
  const [busy, setBusy] = useState<'enable' | 'disable' | 'delete'>()
  const chosen = rows.filter(token => selected.has(String(token.id)))

  const run = async (what: 'enable' | 'disable' | 'delete', work: (token: Token) => Promise<unknown>) => {
    const failed: Failure[] = []
    setBusy(what)
    await runEach(chosen, work, {
      atOnce: AT_ONCE,
      signal: new AbortController().signal,
      onSettled: (token, error) => error !== undefined && failed.push({ token, error }),
    })
    setBusy(undefined)
    onSelect(new Set(failed.map(({ token }) => String(token.id))))
    report(t, chosen.length, failed)
  }

  const askDelete = async () => {
    const question = { title: t('deleteManyTitle', { count: chosen.length }), text: t('deleteManyText') }
    if (!(await confirm({ ...question, action: t('deleteMany'), isDanger: true }))) return
    await run('delete', token => remove.mutateAsync(token.id))
  }

  const statusRun = (status: 1 | 2) => (token: Token) => setStatus.mutateAsync({ id: token.id, status })
  return (
    <BulkBar count={selected.size} onClear={() => onSelect(new Set())}>
      <Button size="small" icon={Copy} onClick={onCopy}>
        {t('copySelected')}
      </Button>
      <Button
        size="small"
        icon={Power}
        isBusy={busy === 'enable'}
        onClick={() => void run('enable', statusRun(STATUS.enabled))}
      >
        {t('enable')}
      </Button>
      <Button
        size="small"
        icon={PowerOff}
        isBusy={busy === 'disable'}
        onClick={() => void run('disable', statusRun(STATUS.disabled))}
      >
        {t('disable')}
      </Button>
      <Button
        size="small"
        look="danger-text"
        icon={Trash2}
        isBusy={busy === 'delete'}
        onClick={() => void askDelete()}
      >
        {t('deleteMany')}
      </Button>
    </BulkBar>
  )
}
