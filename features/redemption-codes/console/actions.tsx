import { Copy, Eye, Pencil, Power, PowerOff, Trash2 } from 'lucide-react'
import { useCallback } from 'react'
import { errorText } from '#console/app/api/call.ts'
import type { ListSelection } from '#console/app/list/list-selection.ts'
import { SelectionBar, StatusActions, useMatchingRun } from '#console/app/list/matching.tsx'
import { Button, IconButton } from '#console/ui/buttons/buttons.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { useKitText } from '#console/ui/text/kit-text.ts'
import { REDEMPTION_STATUS } from '#contract/enums.ts'
import type { Redemption } from '../contract.ts'
import { BulkFailures, BulkProgress, useBulkRun } from './bulk-run.tsx'
import { codeStatus } from './code.ts'
import { type CodeFilter, deleteMatching, switchMatching, useCodeMutations } from './queries.ts'
import { useScreenText } from './text.ts'

/** The actions on one code: enable or disable with undo, and delete after a confirmation. */
export function useCodeActions() {
  const t = useScreenText()
  const k = useKitText()
  const { setStatus, remove } = useCodeMutations()
  const { mutateAsync: sendStatus } = setStatus
  const { mutateAsync: sendRemove } = remove

  const switchStatus = useCallback(
    async (code: Redemption, status: 1 | 2): Promise<void> => {
      try {
        await sendStatus({ id: code.id, status })
        const isEnabling = status === REDEMPTION_STATUS.unused
        const undo = () =>
          void switchStatus(code, isEnabling ? REDEMPTION_STATUS.disabled : REDEMPTION_STATUS.unused)
        toast('success', t(isEnabling ? 'enabledToast' : 'disabledToast', { name: code.name }), {
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
      void switchStatus(
        code,
        code.status === REDEMPTION_STATUS.unused ? REDEMPTION_STATUS.disabled : REDEMPTION_STATUS.unused,
      ),
    [switchStatus],
  )

  const confirmDelete = useCallback(
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

  return { toggle, confirmDelete }
}

interface CodeRowActionsProps {
  readonly code: Redemption
  readonly onOpen: (code: Redemption) => void
  readonly onToggle: (code: Redemption) => void
  readonly onDelete: (code: Redemption) => void
}

export function CodeRowActions({ code, onOpen, onToggle, onDelete }: CodeRowActionsProps) {
  const t = useScreenText()
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
  /** The selected codes of this page. */
  readonly codes: readonly Redemption[]
  readonly filter: CodeFilter
  readonly selection: ListSelection
  /** Refreshes the list and resolves to the number of codes that match. */
  readonly onRecount: () => Promise<number | undefined>
  readonly onCopy: () => void
}

/** The actions on all selected codes. Codes that fail stay selected. */
export function CodesBulkBar({ codes, filter, selection, onRecount, onCopy }: CodesBulkBarProps) {
  const t = useScreenText()
  const { setStatus, remove } = useCodeMutations()
  const bulk = useBulkRun<Redemption>()
  const matching = useMatchingRun(selection, onRecount)

  const run = async (
    toastKey: 'changedMany' | 'deletedMany',
    action: (code: Redemption) => Promise<unknown>,
  ) => {
    const succeeded = await bulk.run(codes, action)
    selection.select(new Set(codes.filter(code => !succeeded.includes(code)).map(code => String(code.id))))
    toast(succeeded.length < codes.length ? 'warning' : 'success', t(toastKey, { count: succeeded.length }))
  }
  const switchAll = (label: string, status: 1 | 2) => {
    if (selection.isAll)
      return void matching.run({ label, send: count => switchMatching(filter, count, status) })
    return void run('changedMany', code => setStatus.mutateAsync({ id: code.id, status }))
  }
  const deleteAll = async () => {
    if (selection.isAll)
      return matching.run({
        label: t('delete'),
        isDanger: true,
        send: count => deleteMatching(filter, count),
      })
    const question = { title: t('deleteManyTitle', { count: codes.length }), text: t('deleteText') }
    if (!(await confirm({ ...question, action: t('delete'), isDanger: true }))) return
    await run('deletedMany', code => remove.mutateAsync(code.id))
  }

  const act = (action: 'enable' | 'disable' | 'delete') => {
    if (action === 'delete') void deleteAll()
    else switchAll(t(action), action === 'enable' ? REDEMPTION_STATUS.unused : REDEMPTION_STATUS.disabled)
  }

  return (
    <>
      <SelectionBar selection={selection}>
        {bulk.progress ? (
          <BulkProgress work={bulk} />
        ) : (
          <>
            {!selection.isAll && (
              <Button size="small" icon={Copy} onClick={onCopy}>
                {t('copySelected')}
              </Button>
            )}
            <StatusActions
              labels={{ enable: t('enable'), disable: t('disable'), delete: t('delete') }}
              onAction={act}
              isDisabled={matching.isBusy}
            />
          </>
        )}
      </SelectionBar>
      <BulkFailures work={bulk} nameOf={code => `${code.name} #${code.id}`} />
    </>
  )
}
