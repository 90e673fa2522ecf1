import { Copy, Power, PowerOff, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Token } from '#contract/tokens.ts'
import { errorText } from '../../app/call-error.ts'
import { runEach } from '../../app/run-each.ts'
import { BulkBar } from '../../ui/bulk-bar.tsx'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { useTokenWrites } from './queries.ts'
import { text } from './text.ts'
import { STATUS } from './token-state.ts'

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
    setBusy(what)
    const { done, failed } = await runEach(chosen, work)
    setBusy(undefined)
    onSelect(new Set(failed.map(({ item }) => String(item.id))))
    const [first] = failed
    if (!first) return toast('success', t('bulkDone', { count: done }))
    const names = failed.map(({ item }) => item.name).join(', ')
    toast(
      'error',
      t('bulkFailed', { done, failed: failed.length, reason: `${names} · ${errorText(first.error)}` }),
    )
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
