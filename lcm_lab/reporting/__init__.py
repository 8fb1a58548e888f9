"""Reports: functions of a result that compute nothing but layout."""
