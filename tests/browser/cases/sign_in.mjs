import assert from 'node:assert/strict'
import { pause } from '../support/programs.mjs'
import { password, users } from '../support/seed.mjs'
import { test } from '../support/runner.mjs'
import { visit } from '../support/visitor.mjs'

test('sign-in: a wrong password is refused in the form, the right one leads to the wanted page', (world) =>
  visit(world, {}, async (visitor, page) => {
    visitor.expect(/status 401: POST .*\/session$/)
    await visitor.page.goto(visitor.url('/jobs?name=report'))
    await page.locator('input[name=name]').waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
    await visitor.fillSignIn('admin', 'not the password')
    await page.locator('[role=alert]').waitFor()
    assert.match(await page.locator('[role=alert]').innerText(), /password/i)
    await visitor.fillSignIn('admin', world.adminPassword)
    await page.getByRole('link', { name: 'report', exact: true }).waitFor()
    assert.equal(visitor.path(), '/console/jobs?name=report')
  }))

test('sign-in: another site is never the target after signing in', (world) =>
  visit(world, {}, async (visitor, page) => {
    await page.goto(visitor.url('/sign-in?to=//example.org/x'))
    await visitor.fillSignIn('admin', world.adminPassword)
    await page.locator('nav').waitFor()
    assert.equal(visitor.path(), '/console/')
  }))

test('sign-in: a user with the default password chooses another one first', (world) =>
  visit(world, {}, async (visitor, page) => {
    await page.goto(visitor.url('/jobs'))
    await visitor.fillSignIn(users.first, '123456')
    await page.getByText('You still have the default password').waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
    // No other page opens before.
    await page.goto(visitor.url('/runs'))
    await page.getByText('You still have the default password').waitFor()
    const fields = page.locator('form input[type=password]')
    const count = await fields.count()
    if (count === 3) await fields.nth(0).fill('123456')
    await fields.nth(count - 2).fill(password)
    await fields.nth(count - 1).fill(`${password}x`)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('The two new passwords differ').waitFor()
    await fields.nth(count - 1).fill(password)
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.getByText('The password is changed').waitFor()
    await visitor.fillSignIn(users.first, password)
    await page.locator('nav').waitFor()
    await visitor.settle()
  }))

test('sign-out: the session ends on the server, and pages ask for a new sign-in', (world) =>
  visit(world, {}, async (visitor, page) => {
    await visitor.signIn(users.viewer, password)
    const cookies = (await visitor.context.cookies()).map((each) => `${each.name}=${each.value}`).join('; ')
    await page.getByRole('button', { name: users.viewer }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Sign out' }).click()
    await page.locator('input[name=name]').waitFor()
    await visitor.settle()
    const answer = await fetch(`${world.server.address}/api/v1/session`, { headers: { Cookie: cookies } })
    assert.equal(answer.status, 401)
    await page.goto(visitor.url('/jobs'))
    await page.locator('input[name=name]').waitFor()
  }))

test('account: a new password ends the session and is the one to sign in with', async (world) => {
  // A user of this case alone: no other one must have run before.
  await world.admin.post('/users', { name: 'petra', password, admin: false, rights: [{ group: world.pay, right: 'viewer' }] })
  await visit(world, {}, async (visitor, page) => {
    await visitor.signIn('petra', password, '/me')
    const fields = page.locator('form input[type=password]')
    await fields.nth(0).fill(password)
    await fields.nth(1).fill('another long password')
    await fields.nth(2).fill('another long password')
    await page.getByRole('button', { name: 'Change the password' }).click()
    await page.locator('input[name=name]').waitFor()
    await visitor.fillSignIn('petra', 'another long password')
    await page.locator('nav').waitFor()
    await visitor.settle()
  })
})

test('sign-in: a wrong link is refused, and its token leaves the address', (world) =>
  visit(world, {}, async (visitor, page) => {
    visitor.expect(/status 401: POST .*\/session$/)
    await page.goto(visitor.url('/sign-in#one_time=a-wrong-token'))
    await page.getByText('This link is wrong, was used before, or has expired').waitFor()
    assert.equal(visitor.path(), '/console/sign-in')
    assert.deepEqual(await visitor.axeFindings(), [])
    await visitor.fillSignIn(users.viewer, password)
    await page.locator('nav').waitFor()
    await visitor.settle()
  }))

test('session: the page warns before the end, and the user signs in again in place', async (world) => {
  await world.admin.post('/users', { name: 'ulla', password, admin: false, rights: [{ group: world.pay, right: 'viewer' }] })
  await visit(world, {}, async (visitor, page) => {
    await visitor.signIn('ulla', password, '/help')
    // A session of its greatest age, which no use extends.
    const month = 30 * 86400000
    const end = Date.now() + 240000
    world.server.sql(`UPDATE rm_session SET opened_ms = ${end - month}, expires_ms = ${end} WHERE user_id = (SELECT id FROM xxl_job_user WHERE username = 'ulla')`)
    // The server asks the database again after a second.
    await pause(1200)
    await page.reload()
    await page.getByText('Your session ends at').waitFor()
    assert.deepEqual(await visitor.axeFindings(), [])
    await page.getByRole('button', { name: 'Stay signed in' }).click()
    await page.locator('.el-dialog').getByText('Sign in again', { exact: true }).waitFor()
    await page.locator('.el-dialog input[name=password]').fill(password)
    await page.keyboard.press('Enter')
    await page.getByText('Your session ends at').waitFor({ state: 'detached' })
    await page.locator('.el-dialog').waitFor({ state: 'detached' })
    await visitor.settle()
  })
})

test('sign-in: the sessions of other servers on this host stay, also after the sign-out', (world) =>
  visit(world, {}, async (visitor, page) => {
    const port = new URL(world.server.address).port
    const others = { XXL_JOB_LOGIN_IDENTITY: 'of-a-java-admin', ringmaster_session_1: 'of-another-server' }
    await visitor.context.addCookies(Object.entries(others).map(([name, value]) => ({ name, value, url: world.server.address })))
    const cookies = async () => Object.fromEntries((await visitor.context.cookies()).map((each) => [each.name, each.value]))
    await visitor.signIn(users.viewer, password)
    const { [`ringmaster_session_${port}`]: own, ...rest } = await cookies()
    assert.ok(own)
    assert.deepEqual(rest, others)
    await page.reload()
    await page.getByRole('button', { name: users.viewer }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.locator('.el-message-box').getByRole('button', { name: 'Sign out' }).click()
    await page.locator('input[name=name]').waitFor()
    await visitor.settle()
    assert.deepEqual(await cookies(), others)
  }))
