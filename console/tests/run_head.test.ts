import { mount } from '@vue/test-utils'
import { createPinia } from 'pinia'
import { describe, expect, it } from 'vitest'
import type { Run } from '../types/api'
import { useSession } from '../src/app/session'
import { useRunHead } from '../src/log/run_head'
import { session } from './app'
import { example } from './example'

describe('a rerun', () => {
  it('has the parameters of the run, and leaves the executor to the route strategy', () => {
    const run = { ...(example('Run') as Run), id: 7, job: 1, job_name: 'report', group: 2, status: 'failed', params: 'a=1', address: 'http://a/' } as Run
    let head!: ReturnType<typeof useRunHead>
    const setup = () => {
      useSession().current = session as never
      head = useRunHead(async () => undefined)
      return () => null
    }
    mount({ setup }, { global: { plugins: [createPinia()] } }).unmount()
    head.repeat(run)
    expect(head.rerunOf.value).toEqual({ jobs: [{ id: 1, name: 'report', group: 2, params: 'a=1' }], params: 'a=1' })
  })
})
