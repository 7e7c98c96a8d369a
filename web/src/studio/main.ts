// The page of 'tenon studio'.
import { mount } from 'svelte'
import App from './App.svelte'
import { session } from './session.svelte'
import './style.css'

session.start()
mount(App, { target: document.getElementById('app')! })
