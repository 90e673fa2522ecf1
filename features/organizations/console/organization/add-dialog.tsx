import { type FormEvent, useId, useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { Field, Switch, TextArea } from '#console/ui/forms/fields.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import type { OrganizationRole } from '#contract/enums.ts'
import { ADDED_AT_ONCE_MAX, type Invitation } from '../../contract/members.ts'
import { useMemberChanges } from '../queries.ts'
import { CapField, toCapAmount } from './cap.tsx'
import { toPeople } from './people.ts'
import { RoleField } from './role-field.tsx'
import { useScreenText } from './text.ts'

const ROWS = 6

interface AddDialogProps {
  readonly isOwner: boolean
  readonly onClose: () => void
  readonly onAdded: (added: readonly Invitation[]) => void
}

/** Invites people, each with a cap and a token at once. */
export function AddDialog({ isOwner, onClose, onAdded }: AddDialogProps) {
  const t = useScreenText()
  const form = useId()
  const { add } = useMemberChanges()
  const [lines, setLines] = useState('')
  const [role, setRole] = useState<OrganizationRole>('member')
  const [monthly, setMonthly] = useState('')
  const [hasToken, setHasToken] = useState(true)
  const [isTried, setTried] = useState(false)
  const people = toPeople(lines)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    const amount = toCapAmount(monthly)
    if (!people || amount === undefined || add.isPending) return
    add.mutate({ people, role, monthly_quota: amount, has_token: hasToken }, { onSuccess: onAdded })
  }
  return (
    <Dialog
      title={t('invite')}
      onClose={onClose}
      confirm={{ type: 'submit', form, isBusy: add.isPending, children: t('invite') }}
    >
      <form id={form} noValidate className="grid gap-5" onSubmit={submit}>
        {add.error && (
          <Banner tone="danger" isAlert>
            {plainErrorText(add.error)}
          </Banner>
        )}
        <Field
          label={t('people')}
          help={t('peopleHelp')}
          error={isTried && !people ? t('peopleWrong', { max: ADDED_AT_ONCE_MAX }) : undefined}
          aside={people && `${people.length} / ${ADDED_AT_ONCE_MAX}`}
          isRequired
        >
          {control => (
            <TextArea
              {...control}
              rows={ROWS}
              value={lines}
              onChange={event => setLines(event.target.value)}
            />
          )}
        </Field>
        <CapField label={t('capEach')} value={monthly} onChange={setMonthly} />
        <RoleField isOwner={isOwner} value={role} onChange={setRole} />
        <Switch
          label={t('hasToken')}
          help={t('hasTokenHelp')}
          checked={hasToken}
          onChange={event => setHasToken(event.target.checked)}
        />
      </form>
    </Dialog>
  )
}
