"""How a first config comes to be: what AWS shows (`survey`), what is asked, what is written."""
