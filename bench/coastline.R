# Points of the world's coastlines in full resolution, longitude and latitude in degrees, from the file of
# Debian's package gmt-gshhg-full; NULL where that or ncdf4 is not installed. Each bin of one degree holds
# its points in units of 1/65535 degree from its south-west corner; a line that goes from one bin to the
# next has a point in both, so that some coincide.
coastline <- function(file = "/usr/share/gmt-gshhg/binned_GSHHS_f.nc") {
  if (!requireNamespace("ncdf4", quietly = TRUE) || !file.exists(file)) {
    cat("Not installed, so not timed: coastline of gmt-gshhg-full, read by ncdf4\n")
    return(NULL)
  }
  open <- ncdf4::nc_open(file)
  on.exit(ncdf4::nc_close(open))
  read <- function(name) as.vector(ncdf4::ncvar_get(open, name))
  unsigned <- function(values) values + 65536 * (values < 0)

  first <- read("Id_of_first_point_in_a_segment")
  count <- diff(c(first, read("N_points_in_file")))
  bin <- rep(rep(0:64799, read("N_segments_in_a_bin")), count)
  stopifnot(length(bin) == read("N_points_in_file"), all(count > 0))
  cbind(
    longitude = bin %% 360 + unsigned(read("Relative_longitude_from_SW_corner_of_bin")) / 65535,
    latitude = 89 - bin %/% 360 + unsigned(read("Relative_latitude_from_SW_corner_of_bin")) / 65535
  )
}
