#!/usr/bin/env python3
"""A script as teams write it against XXL-JOB 3.3: signs in, adds a job, starts it, runs it, reads its log, stops and removes it.

    xxl_3_3.py http://host:port/xxl-job-admin USER PASSWORD EXECUTOR_ADDRESS

Prints one line for each step. Exits with 1 and prints the reply if it is unexpected.
"""

import http.cookiejar
import json
import sys
import time
import urllib.parse
import urllib.request


class Admin:
    def __init__(self, base: str):
        self.base = base
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def ask(self, path: str, form: dict):
        body = urllib.parse.urlencode(form, doseq=True).encode()
        with self.opener.open(self.base + path, body, timeout=60) as reply:
            answer = json.loads(reply.read())
        if answer["code"] != 200 or not answer["success"]:
            sys.exit(f"{path}: {json.dumps(answer, ensure_ascii=False)}")
        return answer["data"]

    def rows(self, path: str, form: dict) -> list[dict]:
        page = self.ask(path, form | {"offset": 0, "pagesize": 10})
        if page["total"] < len(page["data"]):
            sys.exit(f"{path}: {page}")
        return page["data"]


def job_form(group: int) -> dict:
    return {"jobGroup": group, "jobDesc": "script 3.3", "author": "ops", "alarmEmail": "", "scheduleType": "FIX_RATE",
            "scheduleConf": "86400", "misfireStrategy": "DO_NOTHING", "executorRouteStrategy": "ROUND",
            "executorHandler": "demoJobHandler", "executorParam": "own", "executorBlockStrategy": "SERIAL_EXECUTION",
            "executorTimeout": 0, "executorFailRetryCount": 0, "glueType": "BEAN", "glueSource": "",
            "glueRemark": "GLUE initialised", "childJobId": ""}


def finished_run(admin: Admin, group: int, job: int) -> dict:
    day = 86400
    span = " - ".join(time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(time.time() + shift)) for shift in (-day, day))
    end = time.monotonic() + 60
    while time.monotonic() < end:
        rows = admin.rows("/joblog/pageList", {"jobGroup": group, "jobId": job, "logStatus": 1, "filterTime": span})
        if rows and rows[0]["triggerCode"] != 0:  # a quick result may be there before what the trigger led to
            return rows[0]
        time.sleep(0.1)
    sys.exit("no run came to its end")


def main() -> None:
    base, user, password, executor = sys.argv[1:5]
    admin = Admin(base)
    admin.ask("/auth/doLogin", {"userName": user, "password": password})
    print("signed in")
    admin.ask("/jobgroup/insert", {"appname": "script-3-3", "title": "Script", "addressType": 1, "addressList": executor})
    group = admin.rows("/jobgroup/pageList", {"appname": "script-3-3", "title": ""})[0]["id"]
    print("group", group)
    job = int(admin.ask("/jobinfo/insert", job_form(group)))
    print("added", job)
    admin.ask("/jobinfo/start", {"ids[]": [job]})
    row = admin.rows("/jobinfo/pageList", {"jobGroup": group, "triggerStatus": 1, "jobDesc": "", "executorHandler": "",
                                           "author": ""})[0]
    if row["id"] != job or row["triggerStatus"] != 1:
        sys.exit(f"started: {row}")
    print("started")
    admin.ask("/jobinfo/trigger", {"id": job, "executorParam": "manual", "addressList": executor})
    run = finished_run(admin, group, job)
    if (run["triggerCode"], run["handleCode"], run["executorParam"]) != (200, 200, "manual"):
        sys.exit(f"run: {run}")
    print("ran")
    log = admin.ask("/joblog/logDetailCat", {"logId": run["id"], "fromLineNum": 1})
    print("log", json.dumps(log["logContent"]))
    admin.ask("/jobinfo/stop", {"ids[]": [job]})
    print("stopped")
    admin.ask("/jobinfo/delete", {"ids[]": [job]})
    if admin.rows("/jobinfo/pageList", {"jobGroup": group, "triggerStatus": -1, "jobDesc": "", "executorHandler": "",
                                        "author": ""}):
        sys.exit("the job is still there")
    print("removed")
    admin.ask("/auth/logout", {})
    print("signed out")


main()
