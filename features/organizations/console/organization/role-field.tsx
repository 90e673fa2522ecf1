import { Field, Select } from '#console/ui/forms/fields.tsx'
import { ORGANIZATION_ROLES, type OrganizationRole } from '#contract/enums.ts'
import { useOrganizationText } from '../text.ts'
import { useScreenText } from './text.ts'

interface RoleFieldProps {
  /** Only owners give the role of an owner. */
  readonly isOwner: boolean
  readonly value: OrganizationRole
  readonly onChange: (role: OrganizationRole) => void
}

/** The role of a member. */
export function RoleField({ isOwner, value, onChange }: RoleFieldProps) {
  const t = useScreenText()
  const o = useOrganizationText()
  const options = ORGANIZATION_ROLES.filter(role => isOwner || role !== 'owner').map(role => ({
    value: role,
    label: o(`role_${role}`),
  }))
  return (
    <Field label={t('role')}>
      {control => <Select {...control} value={value} options={options} onChange={onChange} />}
    </Field>
  )
}
