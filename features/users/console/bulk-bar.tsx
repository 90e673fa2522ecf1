import { useQuery } from '@tanstack/react-query'
import { CircleDollarSign, Power, PowerOff, Users } from 'lucide-react'
import { useState } from 'react'
import type { ListSelection } from '#console/app/list/list-selection.ts'
import { SelectionBar, useMatchingRun } from '#console/app/list/matching.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { MenuButton } from '#console/ui/buttons/popup-buttons.tsx'
import { USER_STATUS } from '#contract/enums.ts'
import type { UsersChange } from '../contract.ts'
import { BulkQuotaDialog } from './bulk-quota-dialog.tsx'
import { changeMatching, changeUsers, groupsQuery, type UserFilter } from './queries.ts'
import { useScreenText } from './text.ts'

interface UsersBulkBarProps {
  readonly filter: UserFilter
  readonly selection: ListSelection
  /** Refreshes the list and resolves to the number of users that match. */
  readonly onRecount: () => Promise<number | undefined>
}

/** The actions on all selected users. */
export function UsersBulkBar({ filter, selection, onRecount }: UsersBulkBarProps) {
  const t = useScreenText()
  const { isBusy, run } = useMatchingRun(selection, onRecount)
  const { data: groups = [] } = useQuery(groupsQuery)
  const [hasDialog, setDialog] = useState(false)
  const { isAll, ids, count } = selection
  const change = (label: string, by: UsersChange, isConfirmed = !isAll) =>
    void run({
      label,
      isConfirmed,
      isDanger: 'status' in by && by.status === USER_STATUS.banned,
      send: number => (isAll ? changeMatching(filter, number, by) : changeUsers([...ids].map(Number), by)),
    })
  return (
    <SelectionBar selection={selection}>
      <MenuButton
        label={t('moveToGroup')}
        icon={Users}
        size="small"
        variant="default"
        items={[
          groups.map(group => ({
            label: group,
            onSelect: () => change(t('moveTo', { group }), { group }),
          })),
        ]}
      >
        {t('moveToGroup')}
      </MenuButton>
      <Button size="small" icon={CircleDollarSign} disabled={isBusy} onClick={() => setDialog(true)}>
        {t('addQuota')}
      </Button>
      <Button
        size="small"
        icon={Power}
        disabled={isBusy}
        onClick={() => change(t('enable'), { status: USER_STATUS.enabled })}
      >
        {t('enable')}
      </Button>
      <Button
        size="small"
        icon={PowerOff}
        disabled={isBusy}
        onClick={() => change(t('disable'), { status: USER_STATUS.banned }, false)}
      >
        {t('disable')}
      </Button>
      {hasDialog && (
        <BulkQuotaDialog
          count={count}
          onApply={by => {
            setDialog(false)
            change(t('addQuota'), by, true)
          }}
          onClose={() => setDialog(false)}
        />
      )}
    </SelectionBar>
  )
}
