import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { MultiCombobox } from '#console/ui/forms/combobox.tsx'
import { Field, TextInput } from '#console/ui/forms/fields.tsx'
import { NumberInput } from '#console/ui/forms/number-inputs.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import type { ChannelChange } from '../contract/channels.ts'
import { useDialogText } from './dialog-text.ts'
import { groupsQuery, tagsQuery, useTagMutations } from './queries.ts'

const WHOLE = /^-?\d+$/
const TITLES = { tag: 'setTag', group: 'setGroup', priority: 'setPriority' } as const

interface BulkDialogProps {
  readonly field: BulkField
  readonly count: number
  /** Undefined when everything that matches the filter is selected. */
  readonly ids: readonly number[] | undefined
  /** `label` names the action. */
  readonly onChange: (fields: Omit<ChannelChange, 'id'>, label: string) => void
  readonly onDone: () => void
  readonly onClose: () => void
}

/** Sets the tag, the groups or the priority of all selected channels. */
export function BulkDialog({ field, count, ids, onChange, onDone, onClose }: BulkDialogProps) {
  const t = useDialogText()
  const form = useId()
  const tagList = useId()
  const [typed, setTyped] = useState('')
  const [groups, setGroups] = useState<readonly string[]>([])
  const [problem, setProblem] = useState<string>()
  const { data: knownTags = [] } = useQuery(tagsQuery)
  const { data: knownGroups = [] } = useQuery(groupsQuery)
  const { assign } = useTagMutations()

  const apply = (fields: Omit<ChannelChange, 'id'>) => {
    onChange(fields, t(TITLES[field]))
    onClose()
  }
  const assignTag = () => {
    if (typed.trim() === '') return setProblem(t('tagNeeded'))
    if (!ids) return apply({ tag: typed.trim() })
    const onSuccess = (tagged: number) => {
      toast('success', t('taggedMany', { count: tagged }))
      onDone()
      onClose()
    }
    return assign.mutate({ ids, tag: typed.trim() }, { onSuccess })
  }
  const submits: Readonly<Record<BulkField, () => void>> = {
    tag: assignTag,
    group: () => (groups.length === 0 ? setProblem(t('groupsNeeded')) : apply({ groups: [...groups] })),
    priority: () =>
      WHOLE.test(typed.trim()) ? apply({ priority: Number(typed) }) : setProblem(t('priorityWhole')),
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    submits[field]()
  }

  return (
    <Dialog
      title={t('bulkTitle', { action: t(TITLES[field]), count })}
      onClose={onClose}
      confirm={{ type: 'submit', form, isBusy: assign.isPending, children: t('apply') }}
    >
      <form id={form} noValidate className="pt-2" onSubmit={submit}>
        <Field label={t(field === 'group' ? 'groups' : field)} error={problem} isRequired>
          {control => {
            if (field === 'group')
              return <MultiCombobox {...control} options={knownGroups} value={groups} onChange={setGroups} />
            if (field === 'priority') return <NumberInput {...control} value={typed} onChange={setTyped} />
            return (
              <>
                <TextInput
                  {...control}
                  list={tagList}
                  value={typed}
                  onChange={event => setTyped(event.target.value)}
                />
                <datalist id={tagList}>
                  {knownTags.map(tag => (
                    <option key={tag} value={tag} />
                  ))}
                </datalist>
              </>
            )
          }}
        </Field>
      </form>
    </Dialog>
  )
}

/** The fields that a dialog can set for many channels. */
export type BulkField = 'tag' | 'group' | 'priority'
