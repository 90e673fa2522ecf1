import { type FormEvent, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { NAME_LENGTH_MAX } from '../../contract/fields.ts'
import type { Member } from '../../contract/members.ts'
import { NameField } from '../name-field.tsx'
import { useMemberChanges } from '../queries.ts'
import { CapField, toCapAmount, useCapInput } from './cap.tsx'
import { type CapFormProps, CapSheet } from './cap-sheet.tsx'
import { RoleField } from './role-field.tsx'
import { useScreenText } from './text.ts'

interface MemberSheetProps {
  readonly member: Member
  readonly isOwner: boolean
  readonly onClose: () => void
}

/** The name, the role and the monthly cap of a member, and the other budgets. */
export function MemberSheet(props: MemberSheetProps) {
  const t = useScreenText()
  const { id, name } = props.member
  const title = t('editTitle', { name })
  return (
    <CapSheet title={title} action={t('save')} of="member" id={id} onClose={props.onClose}>
      {form => <MemberForm {...props} {...form} />}
    </CapSheet>
  )
}

function MemberForm({ formId, cap, member, isOwner, onClose }: MemberSheetProps & CapFormProps) {
  const t = useScreenText()
  const [name, setName] = useState(member.name)
  const [role, setRole] = useState(member.role)
  const [monthly, setMonthly] = useCapInput(cap)
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
    <form id={formId} noValidate className="grid gap-5" onSubmit={submit}>
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
