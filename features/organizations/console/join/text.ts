import { type English, useText } from '#console/ui/text/text.ts'

const zh = {
  title: '加入组织',
  heading: '加入“{name}”？',
  text: '您被邀请以“{role}”的角色加入组织“{name}”。加入后可在页面顶部切换到该组织。',
  join: '加入',
  joined: '已加入“{name}”',
  missing: '邀请链接不完整，请使用收到的完整链接。',
}

const en: English<typeof zh> = {
  title: 'Join an organisation',
  heading: 'Join {name}?',
  text: 'You are invited to {name} with the role {role}. Afterwards you switch to it at the top of every page.',
  join: 'Join',
  joined: 'Joined {name}',
  missing: 'The link of the invitation is incomplete. Use the whole link that you were sent.',
}

export const text = { zh, en }
export const useScreenText = () => useText(text)
