import { Copy, Eye, Pencil, Power, PowerOff, Trash2 } from 'lucide-react'
import { useCallback } from 'react'
import type { Redemption } from '#contract/billing/redemptions.ts'
import { errorText } from '../../app/api/call.ts'
import { BulkFailures, BulkProgress, useBulkWork } from '../../app/list/bulk-work.tsx'
import { Button, IconButton } from '../../ui/buttons/button.tsx'
import { BulkBar } from '../../ui/data/filter/filter-bar.tsx'
import { confirm } from '../../ui/overlays/confirm.ts'
import { toast } from '../../ui/overlays/toast.tsx'
import { kitText } from '../../ui/text/kit-text.ts'
import { useText } from '../../ui/text/text.ts'
import { codeStatus, STATUS } from './code.ts'
import { useCodeMutations } from './queries.ts'
import { text } from './text.ts'

/** What can be done with one code. */
export function useCodeActions() {
  const t = useText(text)
  const k = useText(kitText)
  const { setStatus, remove } = useCodeMutations()
  const { mutateAsync: sendStatus } = setStatus
  const { mutateAsync: sendRemove } = remove

  const switchStatus = useCallback(
    async (code: Redemption, status: 1 | 2): Promise<void> => {
      try {
        await sendStatus({ id: code.id, status })
        const isOn = status === STATUS.unused
        const undo = () => void switchStatus(code, isOn ? STATUS.disabled : STATUS.unused)
        toast('success', t(isOn ? 'enabledToast' : 'disabledToast', { name: code.name }), {
          label: k('undo'),
          run: undo,
        })
      } catch (error) {
        toast('error', errorText(error))
      }
    },
    [sendStatus, t, k],
  )

  const toggle = useCallback(
    (code: Redemption) =>
      void switchStatus(code, code.status === STATUS.unused ? STATUS.disabled : STATUS.unused),
    [switchStatus],
  )

  const askDelete = useCallback(
    async (code: Redemption): Promise<boolean> => {
      const question = { title: t('deleteTitle', { name: code.name }), text: t('deleteText') }
      if (!(await confirm({ ...question, action: t('delete'), isDanger: true }))) return false
      try {
        await sendRemove(code.id)
        toast('success', t('deletedToast', { name: code.name }))
        return true
      } catch (error) {
        toast('error', errorText(error))
        return false
      }
    },
    [sendRemove, t],
  )

  return { toggle, askDelete }
}

interface CodeRowActionsProps {
  readonly code: Redemption
  readonly onOpen: (code: Redemption) => void
  readonly onToggle: (code: Redemption) => void
  readonly onDelete: (code: Redemption) => void
}

export function CodeRowActions({ code, onOpen, onToggle, onDelete }: CodeRowActionsProps) {
  const t = useText(text)
  const { name } = code
  const state = codeStatus(code)
  const isUnused = state === 'unused'
  return (
    <>
      <IconButton
        label={t(isUnused ? 'edit' : 'view', { name })}
        icon={isUnused ? Pencil : Eye}
        size="small"
        onClick={() => onOpen(code)}
      />
      <IconButton
        label={t(isUnused ? 'disableNamed' : 'enableNamed', { name })}
        icon={isUnused ? PowerOff : Power}
        size="small"
        disabled={state === 'used' || state === 'unknown'}
        onClick={() => onToggle(code)}
      />
      <IconButton
        label={t('deleteNamed', { name })}
        icon={Trash2}
        size="small"
        className="text-danger"
        onClick={() => onDelete(code)}
      />
    </>
  )
}

interface CodesBulkBarProps {
  readonly chosen: readonly Redemption[]
  readonly onSelect: (selected: ReadonlySet<string>) => void
  readonly onCopy: () => void
}

/** What can be done with all selected codes. Those that fail stay selected. */
export function CodesBulkBar({ chosen, onSelect, onCopy }: CodesBulkBarProps) {
  const t = useText(text)
  const { setStatus, remove } = useCodeMutations()
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
