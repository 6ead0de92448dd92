import type { Component } from 'vue'
import type { RouteRecordRaw } from 'vue-router'
import { Bell, Calendar, Clock, Connection, DataAnalysis, Document, Files, FirstAidKit, Key, List, Monitor, Notebook, Odometer, QuestionFilled, Share, User } from '@element-plus/icons-vue'

export interface MenuEntry {
  path: string
  /** Key of the title. */
  title: string
  icon: Component
  admin?: boolean
  /** Second key of the shortcut that begins with g. */
  shortcut?: string
}

/** Entries of the menu, in two parts. */
export const menu: MenuEntry[][] = [
  [
    { path: '/', title: 'menu.now', icon: Odometer, shortcut: 'n' },
    { path: '/report', title: 'menu.report', icon: DataAnalysis, shortcut: 'd' },
    { path: '/jobs', title: 'menu.jobs', icon: List, shortcut: 'j' },
    { path: '/elastic', title: 'menu.elastic', icon: Share },
    { path: '/runs', title: 'menu.runs', icon: Clock, shortcut: 'r' },
    { path: '/executors', title: 'menu.executors', icon: Monitor, shortcut: 'e' },
    { path: '/forecast', title: 'menu.forecast', icon: Calendar, shortcut: 'f' },
  ],
  [
    { path: '/users', title: 'menu.users', icon: User, admin: true, shortcut: 'u' },
    { path: '/keys', title: 'menu.keys', icon: Key, shortcut: 'k' },
    { path: '/sessions', title: 'menu.sessions', icon: Connection, admin: true },
    { path: '/audit', title: 'menu.audit', icon: Notebook, admin: true, shortcut: 'a' },
    { path: '/alarms', title: 'menu.alarms', icon: Bell, admin: true },
    { path: '/declared', title: 'menu.declared', icon: Files, admin: true },
    { path: '/nodes', title: 'menu.nodes', icon: Document },
    { path: '/doctor', title: 'menu.doctor', icon: FirstAidKit, admin: true },
    { path: '/help', title: 'menu.help', icon: QuestionFilled },
  ],
]

export const routes: RouteRecordRaw[] = [
  { path: '/sign-in', component: () => import('../pages/SignInPage.vue'), meta: { open: true, title: 'sign_in.title' } },
  { path: '/', component: () => import('../pages/NowPage.vue'), meta: { title: 'menu.now' } },
  { path: '/report', component: () => import('../pages/ReportPage.vue'), meta: { title: 'menu.report' } },
  {
    path: '/jobs',
    component: () => import('../pages/JobsPage.vue'),
    meta: { title: 'menu.jobs' },
    children: [
      { path: 'new', component: () => import('../jobs/JobDrawer.vue'), meta: { title: 'jobs.add' } },
      { path: ':id(\\d+)/edit', component: () => import('../jobs/JobDrawer.vue'), meta: { title: 'jobs.edit' } },
    ],
  },
  { path: '/jobs/:id(\\d+)', component: () => import('../pages/JobPage.vue'), meta: { title: 'job.title' } },
  { path: '/jobs/:id(\\d+)/script', component: () => import('../pages/ScriptPage.vue'), meta: { title: 'script.title' } },
  { path: '/elastic', component: () => import('../pages/ElasticPage.vue'), meta: { title: 'menu.elastic' } },
  { path: '/elastic/:id(\\d+)', component: () => import('../pages/ElasticJobPage.vue'), meta: { title: 'elastic.job' } },
  { path: '/elastic/:id(\\d+)/history', component: () => import('../pages/ElasticHistoryPage.vue'), meta: { title: 'elastic.history.title' } },
  { path: '/elastic/hosts', component: () => import('../pages/ElasticHostsPage.vue'), meta: { title: 'menu.elastic_hosts' } },
  { path: '/runs', component: () => import('../pages/RunsPage.vue'), meta: { title: 'menu.runs' } },
  { path: '/runs/:id(\\d+)', component: () => import('../pages/RunPage.vue'), meta: { title: 'run.title' } },
  { path: '/runs/:id(\\d+)/log', component: () => import('../pages/RunPage.vue'), meta: { title: 'run.log', full: true } },
  { path: '/executors', component: () => import('../pages/ExecutorsPage.vue'), meta: { title: 'menu.executors' } },
  { path: '/forecast', component: () => import('../pages/ForecastPage.vue'), meta: { title: 'menu.forecast' } },
  { path: '/users', component: () => import('../pages/UsersPage.vue'), meta: { title: 'menu.users', admin: true } },
  { path: '/keys', component: () => import('../pages/KeysPage.vue'), meta: { title: 'menu.keys' } },
  { path: '/sessions', component: () => import('../pages/SessionsPage.vue'), meta: { title: 'menu.sessions', admin: true } },
  { path: '/audit', component: () => import('../pages/AuditPage.vue'), meta: { title: 'menu.audit', admin: true } },
  { path: '/alarms', component: () => import('../pages/AlarmsPage.vue'), meta: { title: 'menu.alarms', admin: true } },
  { path: '/declared', component: () => import('../pages/DeclaredPage.vue'), meta: { title: 'menu.declared', admin: true } },
  { path: '/nodes', component: () => import('../pages/NodesPage.vue'), meta: { title: 'menu.nodes' } },
  { path: '/doctor', component: () => import('../pages/DoctorPage.vue'), meta: { title: 'menu.doctor', admin: true } },
  { path: '/me', component: () => import('../pages/MePage.vue'), meta: { title: 'me.title' } },
  { path: '/help', component: () => import('../pages/HelpPage.vue'), meta: { title: 'menu.help' } },
  { path: '/:rest(.*)*', component: () => import('../pages/MissingPage.vue'), meta: { title: 'missing.title' } },
]
