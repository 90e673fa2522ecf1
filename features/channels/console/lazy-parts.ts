import { lazyPart } from '#console/ui/lazy-part.ts'

/** The sheets, dialogs and menus of the list. Each is loaded when it is first used. */
export const channelSheet = lazyPart(async () => (await import('./sheet/sheet.tsx')).ChannelSheet)
export const tagSheet = lazyPart(async () => (await import('./tag-sheet.tsx')).TagSheet)
export const testDialog = lazyPart(async () => (await import('./test/test-dialog.tsx')).TestDialog)
export const listMenu = lazyPart(async () => (await import('./list-actions.tsx')).ListMenu)
export const bulkActions = lazyPart(async () => (await import('./bulk-actions.tsx')).BulkActions)
export const runProgress = lazyPart(async () => (await import('./list-actions.tsx')).RunProgressBanners)
export const routeDialog = lazyPart(async () => (await import('./route-dialog.tsx')).RouteDialog)
