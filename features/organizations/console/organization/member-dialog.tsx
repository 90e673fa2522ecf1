import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { Banner, Skeleton } from '#console/ui/feedback/feedback.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import type { Budget } from '#features/budgets/contract.ts'
import { NAME_LENGTH_MAX } from '../../contract/fields.ts'
import type { Member } from '../../contract/members.ts'
import { NameField } from '../name-field.tsx'
import { capQuery, useMemberChanges } from '../queries.ts'
import { CapField, toCapAmount } from './cap.tsx'
import { RoleField } from './role-field.tsx'
import { useScreenText } from './text.ts'

interface MemberDialogProps {
  readonly member: Member
  readonly isOwner: boolean
  readonly onClose: () => void
}

/** Changes the name, the role and the monthly cap of a member. */
export function MemberDialog(props: MemberDialogProps) {
  const t = useScreenText()
  const form = useId()
  const { member, onClose } = props
  const { data: cap, error } = useQuery(capQuery({ subject: 'member', subject_id: member.id }))
  return (
    <Dialog
      title={t('editTitle', { name: member.name })}
      onClose={onClose}
      confirm={{ type: 'submit', form, disabled: cap === undefined, children: t('save') }}
    >
      {error && <Banner tone="danger">{plainErrorText(error)}</Banner>}
      {cap === undefined && !error && <Skeleton className="h-40 w-full" />}
      {cap !== undefined && <MemberForm {...props} id={form} cap={cap} />}
    </Dialog>
  )
}

interface MemberFormProps extends MemberDialogProps {
  readonly id: string
  readonly cap: Budget | null
}

function MemberForm({ id, cap, member, isOwner, onClose }: MemberFormProps) {
  const t = useScreenText()
  const [name, setName] = useState(member.name)
  const [role, setRole] = useState(member.role)
  const [monthly, setMonthly] = useState(cap ? String(cap.amount) : '')
  const { update } = useMemberChanges()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const amount = toCapAmount(monthly)
    if (name.trim() === '' || amount === undefined || update.isPending) return
    update.mutate(
      { id: member.id, name: name.trim(), role, cap, amount },
      {
        onSuccess: () => {
          toast('success', t('saved'))
          onClose()
        },
      },
    )
  }
  return (
    <form id={id} noValidate className="grid gap-5" onSubmit={submit}>
      {update.error && (
        <Banner tone="danger" isAlert>
          {plainErrorText(update.error)}
        </Banner>
      )}
      <NameField
        label={t('name')}
        value={name}
        lengthMax={NAME_LENGTH_MAX}
        isRequired
        error={name.trim() === '' ? t('nameNeeded') : undefined}
        onChange={setName}
      />
      <RoleField isOwner={isOwner} value={role} onChange={setRole} />
      <CapField label={t('cap')} value={monthly} onChange={setMonthly} />
    </form>
  )
}
