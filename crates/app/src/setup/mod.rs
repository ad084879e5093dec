//! Changes of settings on request: conversion, forwarding hooks, and the check of the installation.

pub mod convert;
pub mod doctor;
pub mod guard_install;
pub mod install;
pub mod plugin;
