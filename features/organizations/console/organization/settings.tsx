import { type FormEvent, useState } from 'react'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { DISPLAY_NAME_LENGTH_MAX } from '#contract/entities/user-fields.ts'
import type { Organization } from '../../contract/organizations.ts'
import { currentOrganization, rememberOrganization } from '../acting.ts'
import { NameField } from '../name-field.tsx'
import { useOrganizationChanges } from '../queries.ts'
import { useSwitch } from '../use-switch.ts'
import { useScreenText } from './text.ts'

interface SettingsProps {
  readonly organization: Organization
  readonly mayManage: boolean
}

/** The name of the organisation, leaving it, and its end. */
export function OrganizationSettings({ organization, mayManage }: SettingsProps) {
  const t = useScreenText()
  return (
    <section aria-label={t('settings')} className="grid grid-cols-1 gap-4">
      <h2 className="text-section font-semibold">{t('settings')}</h2>
      {mayManage && <NameForm key={organization.name} name={organization.name} />}
      <EndButtons organization={organization} />
    </section>
  )
}

function NameForm({ name: known }: { readonly name: string }) {
  const t = useScreenText()
  const [name, setName] = useState(known)
  const { rename } = useOrganizationChanges()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const typed = name.trim()
    if (typed === '' || typed === known || rename.isPending) return
    rename.mutate(typed, {
      onSuccess: () => {
        const acting = currentOrganization()
        if (acting) rememberOrganization({ ...acting, name: typed })
        toast('success', t('saved'))
      },
    })
  }
  return (
    <form noValidate className="flex max-w-120 items-end gap-3" onSubmit={submit}>
      <div className="min-w-0 flex-1">
        <NameField
          label={t('organizationName')}
          value={name}
          lengthMax={DISPLAY_NAME_LENGTH_MAX}
          onChange={setName}
        />
      </div>
      <Button type="submit" isBusy={rename.isPending}>
        {t('rename')}
      </Button>
    </form>
  )
}

function EndButtons({ organization: { name, role } }: Pick<SettingsProps, 'organization'>) {
  const t = useScreenText()
  const choose = useSwitch()
  const { leave, remove } = useOrganizationChanges()
  const end = async (kind: 'leave' | 'delete') => {
    const question = { title: t(`${kind}Title`, { name }), text: t(`${kind}Text`), action: t(kind) }
    if (!(await confirm({ ...question, isDanger: true }))) return
    const onSuccess = () => {
      void choose(undefined)
      toast('success', t(kind === 'leave' ? 'left' : 'deleted', { name }))
    }
    if (kind === 'leave') leave.mutate(undefined, { onSuccess })
    else remove.mutate(undefined, { onSuccess })
  }
  return (
    <div className="flex flex-wrap gap-3">
      <Button isBusy={leave.isPending} onClick={() => void end('leave')}>
        {t('leave')}
      </Button>
      {role === 'owner' && (
        <Button variant="danger-text" isBusy={remove.isPending} onClick={() => void end('delete')}>
          {t('delete')}
        </Button>
      )}
    </div>
  )
}
