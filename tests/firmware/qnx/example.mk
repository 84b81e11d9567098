FACADES := qnx
