/** What can be given to many channels in a dialog. */
export type BulkField = 'tag' | 'group' | 'priority'
