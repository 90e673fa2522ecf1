import { useQuery } from '@tanstack/react-query'
import { errorText } from '../../../app/call-error.ts'
import { useSetUrlState, useUrlState } from '../../../app/url-state.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Combobox } from '../../../ui/combobox.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { useText } from '../../../ui/text.ts'
import { enabledModelsQuery, routeQuery } from '../over-queries.ts'
import { groupsQuery } from '../queries.ts'
import { ChannelSearch, GROUP_DEFAULT } from '../search.ts'
import { CandidateTable } from './candidate-table.tsx'
import { routeText } from './route-text.ts'

/** A dry run: which channels a request of a group for a model would be sent to, and in which order. */
export function RouteDialog() {
  const t = useText(routeText)
  const { route: model, routegroup: group } = useUrlState(ChannelSearch)
  const setUrl = useSetUrlState(ChannelSearch)
  const { data: groups = [GROUP_DEFAULT] } = useQuery(groupsQuery)
  const { data: models = [] } = useQuery(enabledModelsQuery)
  return (
    <Dialog
      title={t('previewRoute')}
      width="large"
      onClose={() => setUrl({ preview: '', route: '', routegroup: undefined })}
    >
      <div className="grid gap-4 pt-2">
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={t('model')}>
            {control => (
              <Combobox
                {...control}
                options={models.map(value => ({ value, label: value }))}
                value={model}
                onChange={route => setUrl({ route })}
              />
            )}
          </Field>
          <Field label={t('group')}>
            {control => (
              <Select
                {...control}
                options={groups.map(value => ({ value, label: value }))}
                value={group}
                onChange={routegroup => setUrl({ routegroup })}
              />
            )}
          </Field>
        </div>
        {model === '' ? (
          <p className="text-small text-muted">{t('chooseModel')}</p>
        ) : (
          <Route model={model} group={group} />
        )}
      </div>
    </Dialog>
  )
}

function Route({ model, group }: { readonly model: string; readonly group: string }) {
  const t = useText(routeText)
  const { data: route, error } = useQuery(routeQuery(model, group))
  if (error)
    return (
      <Banner tone="danger" isAlert>
        {errorText(error)}
      </Banner>
    )
  if (!route) return <Skeleton className="h-24 w-full" />
  return (
    <>
      {route.refusal && (
        <Banner tone="warning">
          {t('noCandidates')} · <span className="font-mono text-caption">{route.refusal.code}</span>
        </Banner>
      )}
      {route.candidates.length > 0 && <CandidateTable candidates={route.candidates} />}
      {!route.refusal && (
        <p role="status" className="text-small text-muted">
          {t('tries', { count: Math.min(route.channels_tried, route.candidates.length) })}
        </p>
      )}
    </>
  )
}
