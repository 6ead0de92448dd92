"""A valid form for each route of XXL-JOB's web API, which tests then break; and a database with objects of every kind.

Objects that `fill` creates: groups 1 and 2, jobs 1 (group 1), 2 (group 2) and 3 (group 1, a script), run 1 of job 1, users 1
(admin), 2 (`edda`, editor of group 2) and 3 (`vera`, of nothing).
"""

from web_case import Client, Route, WebCase

PASSWORD = "a password"
JOB = {"jobGroup": "1", "jobDesc": "nightly", "author": "ann", "alarmEmail": "", "scheduleType": "NONE", "scheduleConf": "",
       "misfireStrategy": "DO_NOTHING", "executorRouteStrategy": "FIRST", "executorBlockStrategy": "SERIAL_EXECUTION",
       "executorHandler": "h", "executorParam": "p", "executorTimeout": "0", "executorFailRetryCount": "0", "childJobId": "",
       "glueType": "BEAN", "glueSource": "", "glueRemark": "first"}
PAGE = {"start": "0", "length": "10", "offset": "0", "pagesize": "10"}
GROUP = {"appname": "new-app", "title": "New", "addressType": "1", "addressList": "http://127.0.0.1:9"}
USER = {"username": "newuser", "password": PASSWORD, "role": "0", "permission": "2"}
DATES = {"startDate": "2026-01-01 00:00:00", "endDate": "2026-01-02 00:00:00"}

FORMS = {
    "/toLogin": {}, "/auth/login": {},
    "/login": {"userName": "stranger", "password": "wrong one", "ifRemember": "on"},
    "/auth/doLogin": {"userName": "stranger", "password": "wrong one", "ifRemember": "on"},
    "/logout": {}, "/auth/logout": {},
    "/jobinfo/pageList": {"jobGroup": "1", "triggerStatus": "-1", "jobDesc": "", "executorHandler": "", "author": ""} | PAGE,
    "/jobinfo/add": JOB, "/jobinfo/insert": JOB, "/jobinfo/update": {"id": "1"} | JOB,
    "/jobinfo/remove": {"id": "1"}, "/jobinfo/delete": {"ids[]": "1"},
    "/jobinfo/start": {"id": "1"}, "/jobinfo/stop": {"id": "1"},
    "/jobinfo/trigger": {"id": "1", "executorParam": "p", "addressList": ""},
    "/jobinfo/nextTriggerTime": {"scheduleType": "CRON", "scheduleConf": "0 0 1 * * ?"},
    "/jobcode/save": {"id": "3", "glueSource": "echo", "glueRemark": "a remark"},
    "/joblog/pageList": {"jobGroup": "1", "jobId": "0", "logStatus": "-1",
                         "filterTime": "2026-01-01 00:00:00 - 2099-01-02 00:00:00"} | PAGE,
    "/joblog/getJobsByGroup": {"jobGroup": "1"},
    "/joblog/logDetailCat": {"logId": "1", "fromLineNum": "1"},
    "/joblog/logKill": {"id": "1"},
    "/joblog/clearLog": {"jobGroup": "1", "jobId": "1", "type": "4"},
    "/chartInfo": DATES,
    "/jobgroup/pageList": {"appname": "", "title": ""} | PAGE,
    "/jobgroup/save": GROUP, "/jobgroup/insert": GROUP, "/jobgroup/update": {"id": "2"} | GROUP,
    "/jobgroup/remove": {"id": "1"}, "/jobgroup/delete": {"ids[]": "1"}, "/jobgroup/loadById": {"id": "1"},
    "/user/pageList": {"username": "", "role": "-1"} | PAGE,
    "/user/add": USER, "/user/insert": USER, "/user/update": {"id": "3"} | USER,
    "/user/remove": {"id": "3"}, "/user/delete": {"ids[]": "3"},
    "/user/updatePwd": {"oldPassword": "wrong one", "password": PASSWORD},
    "/auth/updatePwd": {"oldPassword": "wrong one", "password": PASSWORD},
}
NUMBERS = {"id", "ids[]", "jobGroup", "triggerStatus", "jobId", "logStatus", "logId", "fromLineNum", "type", "role", "start",
           "length", "offset", "pagesize", "executorTimeout", "executorFailRetryCount", "addressType"}


def form_of(route: Route, dialect: str) -> dict[str, str]:
    """Fails the test if the route has no form."""
    others = ("offset", "pagesize") if dialect == "2.x" else ("start", "length")
    form = {name: value for name, value in FORMS[route.path].items() if name not in others}
    if "id" in form and route.path in ("/jobinfo/start", "/jobinfo/stop") and dialect == "3.3+":
        form = {"ids[]": form["id"]}
    return form


def fill(case: WebCase) -> Client:
    """Creates the objects. Returns the administrator's client of dialect 2.x."""
    admin = case.sign_in("2.x")

    def done(path: str, values: dict) -> None:
        reply = admin.form(path, values)
        case.assertEqual((reply.status, reply.json["code"]), (200, 200), (path, reply))

    for name in ("app-1", "app-2"):
        done("/jobgroup/save", GROUP | {"appname": name})
    done("/jobinfo/add", JOB)
    done("/jobinfo/add", JOB | {"jobGroup": "2"})
    done("/jobinfo/add", JOB | {"glueType": "GLUE_SHELL", "glueSource": "true", "executorHandler": ""})
    done("/user/add", USER | {"username": "edda"})
    done("/user/add", USER | {"username": "vera", "permission": ""})
    done("/jobinfo/trigger", {"id": "1", "executorParam": ""})
    case.server.wait_for(lambda: case.rows("SELECT 1 FROM xxl_job_log WHERE id = 1 AND trigger_code <> 0"), "run 1 is over")
    return admin
