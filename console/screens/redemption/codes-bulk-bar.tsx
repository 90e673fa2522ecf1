import { Copy, Power, PowerOff, Trash2 } from 'lucide-react'
import type { Redemption } from '#contract/redemptions.ts'
import { BulkFailures, BulkProgress, useBulkWork } from '../../app/bulk-work.tsx'
import { BulkBar } from '../../ui/bulk-bar.tsx'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.ts'
import { useText } from '../../ui/text.ts'
import { toast } from '../../ui/toast.ts'
import { STATUS } from './code-state.ts'
import { useCodeWrites } from './queries.ts'
import { text } from './text.ts'

interface CodesBulkBarProps {
  readonly chosen: readonly Redemption[]
  readonly onSelect: (selected: ReadonlySet<string>) => void
  readonly onCopy: () => void
}

/** What can be done with all selected codes. Those that fail stay selected. */
export function CodesBulkBar({ chosen, onSelect, onCopy }: CodesBulkBarProps) {
  const t = useText(text)
  const { setStatus, remove } = useCodeWrites()
  const work = useBulkWork<Redemption>()

  const run = async (words: 'changedMany' | 'deletedMany', one: (code: Redemption) => Promise<unknown>) => {
    const done = await work.run(chosen, one)
    onSelect(new Set(chosen.filter(code => !done.includes(code)).map(code => String(code.id))))
    toast(done.length < chosen.length ? 'warning' : 'success', t(words, { count: done.length }))
  }
  const statusRun = (status: 1 | 2) =>
    void run('changedMany', code => setStatus.mutateAsync({ id: code.id, status }))
  const askDelete = async () => {
    const question = { title: t('deleteManyTitle', { count: chosen.length }), text: t('deleteText') }
    if (!(await confirm({ ...question, action: t('delete'), isDanger: true }))) return
    await run('deletedMany', code => remove.mutateAsync(code.id))
  }

  return (
    <>
      <BulkBar count={chosen.length} onClear={() => onSelect(new Set())}>
        {work.progress ? (
          <BulkProgress work={work} />
        ) : (
          <>
            <Button size="small" icon={Copy} onClick={onCopy}>
              {t('copySelected')}
            </Button>
            <Button size="small" icon={Power} onClick={() => statusRun(STATUS.unused)}>
              {t('enable')}
            </Button>
            <Button size="small" icon={PowerOff} onClick={() => statusRun(STATUS.disabled)}>
              {t('disable')}
            </Button>
            <Button size="small" look="danger-text" icon={Trash2} onClick={() => void askDelete()}>
              {t('delete')}
            </Button>
          </>
        )}
      </BulkBar>
      <BulkFailures work={work} nameOf={code => `${code.name} #${code.id}`} />
    </>
  )
}
