import { KeyRound, Link2, Pencil, Trash2 } from 'lucide-react'
import { IconButton } from '#console/ui/buttons/buttons.tsx'
import { confirm, toast } from '#console/ui/overlays/messages.tsx'
import { TOKEN_NAME_LENGTH_MAX } from '#contract/entities/token-fields.ts'
import type { Member } from '../../contract/members.ts'
import type { Organization } from '../../contract/organizations.ts'
import { useMemberChanges } from '../queries.ts'
import type { Made } from './made-dialog.tsx'
import { useScreenText } from './text.ts'

interface MemberActionsProps {
  readonly member: Member
  readonly organization: Pick<Organization, 'role' | 'member_id'>
  readonly onEdit: () => void
  readonly onMade: (made: Made) => void
}

/** The buttons of a member's row. Only owners change owners, and nobody removes themselves: they leave. */
export function MemberActions({ member, organization, onEdit, onMade }: MemberActionsProps) {
  const t = useScreenText()
  const { createKey, invite, remove } = useMemberChanges()
  const { id, name, role, status } = member
  const mayChange = organization.role === 'owner' || role !== 'owner'
  const isInvited = status === 'invited'
  const makeKey = () =>
    createKey.mutate(
      { id, name: [...name].slice(0, TOKEN_NAME_LENGTH_MAX).join('') },
      {
        onSuccess: token =>
          onMade({ title: t('keyTitle', { name }), invitations: [{ id, name, invitation: '', token }] }),
      },
    )
  const makeLink = () =>
    invite.mutate(id, {
      onSuccess: made => onMade({ title: t('madeTitle', { count: 1 }), invitations: [made] }),
    })
  const askToRemove = async () => {
    const question = {
      title: t(isInvited ? 'withdrawTitle' : 'removeTitle', { name }),
      text: t(isInvited ? 'withdrawText' : 'removeText'),
      action: t(isInvited ? 'withdraw' : 'remove'),
    }
    if (await confirm({ ...question, isDanger: true }))
      remove.mutate(id, { onSuccess: () => toast('success', t('removed', { name })) })
  }
  return (
    <>
      <IconButton
        size="small"
        icon={KeyRound}
        label={t('newKeyNamed', { name })}
        isBusy={createKey.isPending}
        onClick={makeKey}
      />
      {isInvited && mayChange && (
        <IconButton
          size="small"
          icon={Link2}
          label={t('newLinkNamed', { name })}
          isBusy={invite.isPending}
          onClick={makeLink}
        />
      )}
      {mayChange && (
        <IconButton size="small" icon={Pencil} label={t('editNamed', { name })} onClick={onEdit} />
      )}
      {mayChange && id !== organization.member_id && (
        <IconButton
          size="small"
          icon={Trash2}
          className="text-danger"
          label={t('removeNamed', { name })}
          isBusy={remove.isPending}
          onClick={() => void askToRemove()}
        />
      )}
    </>
  )
}
